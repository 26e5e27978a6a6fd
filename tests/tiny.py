"""Whole runs on a few lines of text: real config, corpora, plugins and engine, no command line.

The worked example: training words ab 4, abc 2, b 1, c 1, so that BPE without marks knows a, b, c,
then ab, then abc. The test text is `ab abd c / abc ab`; abd is unseen, and its d unknown to all,
so there is no gate.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import settings
from tokbench_health import numbers
from tokbench_views.report import cost_report, details, report

from tokbench import plugins
from tokbench.api import Component, Vocabulary
from tokbench.config import Experiment, load_experiment
from tokbench.corpora.load import Corpora
from tokbench.plugins import BASES, Offer, Plugin, Registry
from tokbench.run_folder import Run
from tokbench.run_folder.tables import round_fields
from tokbench.runner import speed
from tokbench.runner.cache import Cache
from tokbench.runner.experiment import RunProgress, execute

TEXTS = {"train": "ab ab ab ab abc abc b c\n", "test": "ab abd c\nabc ab\n"}
BPE = "{name: bpe, learner: {use: bpe, eow: absent}}"
KEYS = {
    "corpora": "{train: train.txt, test: {held-out: test.txt}}",
    "sizes": "[4, 5]",
    "systems": f"[{BPE}, char, word]",
    "metrics": "[oov-words-running, fertility]",
    "resamples": "100",
    "gate": "1",
}
FEW, ALL_DRAWN = 20, numbers.drawn
FEWER_EXAMPLES = settings(max_examples=settings().max_examples // 4)
"""Tries a quarter of the examples, where each takes long, such as a whole run."""

LISTED = """
  train: train.txt
  test: {held-out: test.txt}
  lists: {novel: novel.txt}
  gold: {parts: gold.txt}"""


@dataclass(frozen=True, eq=False)
class TinyRun(Run):
    """A run, with what its record says of failures at hand."""

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the run."""
        return self.record.notes

    @property
    def failures(self) -> tuple[str, ...]:
        """The failures of the run."""
        return self.record.failures


def row(
    run: TinyRun,
    system: str,
    metric: str,
    corpus: str = "held-out",
    subset: str = "all",
    size: str | None = None,
    context: str | None = None,
) -> Any:
    """Return the one row of a metric; size and context may be left out where there is one."""
    wanted = (system, metric, corpus, subset)
    (result,) = (
        row
        for row in run.rows
        if (row.system, row.metric, row.corpus, row.subset) == wanted
        and size in (None, row.size)
        and context in (None, row.context)
    )
    return result


def value(run: TinyRun, system: str, metric: str, **of: str) -> float | None:
    """Return the value in the row that `row` finds."""
    number: float | None = row(run, system, metric, **of).value
    return number


def scored(run: TinyRun) -> set[str]:
    """Return the systems that have results; a row without a metric says why there are none."""
    return {row.system for row in run.rows if row.metric}


def signature(run: TinyRun, row: Any) -> str:
    """Return the signature of a row."""
    return run.signature(row)


def steps(run: TinyRun) -> list[tuple[str, str, str]]:
    """Return the system, step and size of all that was measured, in order."""
    return [(cost.system, cost.step, cost.size) for cost in run.record.cost]


def learned(run: TinyRun) -> Mapping[str, Vocabulary]:
    """Return what each learning run gave, by the name of its file."""
    return run.learned


@cache
def installed() -> Registry:
    """The installed plugins, loaded once; they all work in this process, which is faster."""
    return replace(plugins.load(), is_installed=False)


def config(**keys: str | None) -> str:
    """Write a config: the keys of the worked example, changed; a key that is None is left out."""
    return "".join(f"{key}: {text}\n" for key, text in {**KEYS, **keys}.items() if text is not None)


def offering(**components: type[Component]) -> Registry:
    """Return the installed plugins with components of a test, by the names that configs use.

    They come without analyses, which cut texts that the test's own segmenters do not expect.
    """
    here = Plugin("of-a-test", "of-a-test", "")
    offers = [
        Offer(kind, name.replace("_", "-"), component, here)
        for name, component in components.items()
        for kind, base in BASES.items()
        if issubclass(component, base)
    ]
    registry = installed()
    without_analyses = [offer for offer in registry.offers if offer.kind != "analysis"]
    return Registry((*registry.plugins, here), (*without_analyses, *offers))


def prepare(
    folder: Path,
    plugin: str | Registry = "",
    texts: Mapping[str, str | bytes] | None = None,
    **keys: str | None,
) -> tuple[Experiment, Corpora, Registry]:
    """Load a config, with a plugin's source, and `texts`: each is the file `<name>.txt`.

    In place of the source of a plugin, `offering` gives what serves many runs.
    """
    for name, text in {**TEXTS, **(texts or {})}.items():
        write(folder / f"{name}.txt", text if isinstance(text, bytes) else text.encode("utf-8"))
    write(folder / "tiny.yaml", config(**keys).encode("utf-8"))
    registry = plugin if isinstance(plugin, Registry) else installed()
    if isinstance(plugin, str) and plugin:
        (folder / "plugin.py").write_text(plugin, encoding="utf-8")
        registry = replace(plugins.load([folder / "plugin.py"]), is_installed=False)
    return *load(folder / "tiny.yaml", registry), registry


def load(config: Path, registry: Registry) -> tuple[Experiment, Corpora]:
    """Load a config and the corpora that it names."""
    experiment = load_experiment(config, registry)
    return experiment, experiment.load_corpora()


def drawing(count: int) -> AbstractContextManager[Any]:
    """Let runs cut so many numbers of each length, in place of a thousand, which take long."""
    return patch.object(numbers, "drawn", lambda _, seed: ALL_DRAWN(count, seed))


def run_of(config: Path, registry: Registry) -> TinyRun:
    """Run a config that lies in a file."""
    with drawing(FEW):
        run = execute(*load(config, registry), registry, lambda *_: None)
    return TinyRun(**vars(run))


def write(path: Path, content: bytes) -> None:
    """Write a small file; a new one takes a hundredth of the time that replacing takes."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def tiny_run(
    folder: Path,
    plugin: str | Registry = "",
    texts: Mapping[str, str | bytes] | None = None,
    progress: RunProgress = lambda *_: None,
    kept_in: Path | None = None,
    drawn: int = FEW,
    **keys: str | None,
) -> TinyRun:
    """Run what `prepare` loads; what is learned and cut is `kept_in` a folder, and used again."""
    # A speed from fewer words is as good as another here.
    with drawing(drawn), patch.object(speed, "LEAST_SECONDS", 0.0):
        run = execute(*prepare(folder, plugin, texts, **keys), progress, Cache(kept_in))
    return TinyRun(**vars(run))


def documents(run: Run) -> dict[str, str]:
    """Return what people read of a run in its folder."""
    return {"report.md": report(run), "metrics.md": details(run), "cost.md": cost_report(run)}


def bounds(low: float, high: float) -> tuple[float, float]:
    """Return an interval as the results hold it, with six digits."""
    fields = round_fields({"low": float(low), "high": float(high)})
    return fields["low"], fields["high"]
