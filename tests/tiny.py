"""Whole runs on a few lines of text: real config, corpora, plugins and engine, no command line.

The worked example: training words ab 4, abc 2, b 1, c 1, so that BPE without marks knows a, b, c,
then ab, then abc. The test text is `ab abd c / abc ab`; abd is unseen, and its d unknown to all.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tokbench import plugins
from tokbench.config import Experiment, load_experiment
from tokbench.corpora.load import Corpora, load_corpora
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.runner.run import execute

TEXTS = {"train": "ab ab ab ab abc abc b c\n", "test": "ab abd c\nabc ab\n"}
BPE = "{name: bpe, learner: {use: bpe, eow: absent}}"
KEYS = {
    "corpora": "{train: train.txt, test: {held-out: test.txt}}",
    "sizes": "[4, 5]",
    "systems": f"[{BPE}, char, word]",
    "metrics": "[oov-words-running, fertility]",
    "resamples": "100",
}
LISTED = """
  train: train.txt
  test: {held-out: test.txt}
  lists: {novel: novel.txt}
  gold: {parts: gold.txt}"""


@cache
def installed() -> Registry:
    """The installed plugins, loaded once."""
    return plugins.load()


def config(**keys: str | None) -> str:
    """Write a config: the keys of the worked example, changed; a key that is None is left out."""
    return "".join(f"{key}: {text}\n" for key, text in {**KEYS, **keys}.items() if text is not None)


def prepare(
    folder: Path,
    plugin: str = "",
    texts: Mapping[str, str | bytes] | None = None,
    **keys: str | None,
) -> tuple[Experiment, Corpora, Registry]:
    """Load a config, with a plugin's source, and `texts`: each is the file `<name>.txt`."""
    for name, text in {**TEXTS, **(texts or {})}.items():
        path = folder / f"{name}.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    (folder / "tiny.yaml").write_text(config(**keys), encoding="utf-8")
    registry = installed()
    if plugin:
        (folder / "plugin.py").write_text(plugin, encoding="utf-8")
        registry = plugins.load([folder / "plugin.py"])
    experiment = load_experiment(folder / "tiny.yaml", registry)
    corpora = load_corpora(
        experiment.train, experiment.tests, experiment.lists, experiment.gold, experiment.seed
    )
    return experiment, corpora, registry


def tiny_run(
    folder: Path,
    plugin: str = "",
    texts: Mapping[str, str | bytes] | None = None,
    **keys: str | None,
) -> Run:
    """Run what `prepare` loads."""
    return execute(*prepare(folder, plugin, texts, **keys), lambda message: None)
