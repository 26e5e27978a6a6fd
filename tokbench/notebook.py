"""Runs in Python: `tokbench.run(config)`, `tokbench.load(folder)`, and what they return."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokbench.api import Vocabulary
from tokbench.api.component import Use
from tokbench.errors import UsageError, cropped
from tokbench.run_folder import Run

if TYPE_CHECKING:
    from tokbench.config import Experiment
    from tokbench.corpora.load import Corpora
    from tokbench.plugins import Registry
    from tokbench.runner.experiment import RunProgress


class NotebookRun(Run):
    """A run that cuts text, and shows itself in a notebook: its answer and its first chart."""

    def _repr_html_(self) -> str:
        """Show what the view `notebook` shows."""
        from tokbench.cli.views import shown, view_of, with_additions
        from tokbench.plugins import load as load_plugins

        registry = load_plugins(lazy=True)
        run, _ = with_additions(self, registry)
        return shown(view_of(registry, "notebook"), run, "html")

    def encode(
        self, system: str, text: str, size: str | int = "", plugins: Sequence[str | Path] = ()
    ) -> list[str]:
        """Return the tokens of a text, spelled as `tokbench segment RUN:SYSTEM@SIZE` prints them.

        The text is normalised, and its words are found, as those of the training text are. What the
        vocabulary lacks is returned as it is in the text. Without a size, the largest is used.
        `plugins` are the plugin files that the system needs. Raises UsageError for a system or size
        that the run lacks, PluginError for a plugin that is not there.
        """
        from tokbench.plugins import load as load_plugins

        registry = load_plugins([*map(Path, plugins)], lazy=True)
        if not isinstance(text, str):
            raise UsageError(f"found {cropped(text)}, expected a text to encode")
        sizes = [outcome.size for outcome in self.record.outcomes if outcome.system == system]
        if size and sizes and str(size) not in sizes:
            names = ", ".join(dict.fromkeys(filter(None, sizes)))
            there = f"there are: {names}" if names else "it has one only"
            raise UsageError(f"system {system!r} has no size {size}; {there}")
        vocabulary = self.vocabulary(system, size or next(reversed(sizes), ""))
        (config,) = (s for s in self.record.resolved["systems"] if s["name"] == system)
        train = self.record.resolved["corpora"].get("train") or {}
        return [
            token
            for names in _cut(registry, vocabulary, config, train, text)
            for token in vocabulary.marks.show_display([*map(vocabulary.show, names)])
        ]


def _cut(
    registry: "Registry",
    vocabulary: Vocabulary,
    system: Mapping[str, Any],
    train: Mapping[str, Any],
    text: str,
) -> Iterator[list[str]]:
    """Yield the tokens of each word of a text, or of each line where whole lines are cut.

    `system` and `train` are the parts of a config with all defaults.
    """
    # All of it is slow to load, which whoever only reads a run need not wait for.
    from tokbench.corpora.files import Line
    from tokbench.corpora.normalise import normaliser
    from tokbench.corpora.source import Source
    from tokbench.corpora.words import WordFinder
    from tokbench.cut import BoundSegmenter

    def build(kind: Any, use: object) -> Any:
        return registry.build(kind, Use.model_validate(use)) if use else None

    segmenter = build("segmenter", system["segmenter"]) or registry.segmenter_of(vocabulary)[1]
    bound = BoundSegmenter(segmenter, vocabulary)
    treatment = {key: train[key] for key in ("normalise", "words") if key in train}
    source = Source.model_validate({"path": "-", **treatment})
    normalise = normaliser(source.normalise)
    lines = [normalise(line) for line in text.replace("\r\n", "\n").split("\n")]
    if bound.cuts_lines:
        yield from bound.names_in_lines([line for line in lines if line])
        return
    find = WordFinder(build("splitter", source.words), source.words.use)
    numbered = (Line(Path("text"), number, 0, line) for number, line in enumerate(lines, start=1))
    words = [word for line in numbered for word in find(line)]
    for names in bound.names(words, build("splitter", system["split"])):
        yield [*filter(None, names)]


def load(folder: str | Path) -> NotebookRun:
    """Read a run folder; warn of each table that was changed since the run, and read it as it is.

    Raises UsageError for a folder that is no run, InputError for one that cannot be read.
    """
    changes: list[str] = []
    try:
        return NotebookRun.load(folder, changes.append)
    finally:
        for message in changes:
            warnings.warn(f"{message}; it is read as it is", stacklevel=2)


def run(config: str | Path | Mapping[str, Any], plugins: Sequence[str | Path] = ()) -> NotebookRun:
    """Learn, segment and score what a config asks for; nothing is written.

    `config` is a file, or what one would hold, with paths from the current folder. `plugins` are
    plugin files. Failures of systems are in `record.failures`. Raises what `tokbench run` ends
    with: UsageError, PluginError, InputError.
    """
    if isinstance(config, Mapping):
        import yaml

        text = yaml.safe_dump(dict(config), sort_keys=False)
        done = run_config(Path("config"), plugins, text, cached=True)
        done = replace(done, record=replace(done.record, path=""))
    else:
        done = run_config(Path(config), plugins, cached=True)
    return NotebookRun(**vars(done))


def run_config(
    path: Path,
    plugins: Sequence[str | Path],
    text: str | None = None,
    check: Callable[["Experiment", "Corpora"], None] = lambda experiment, corpora: None,
    progress: "RunProgress" = lambda system, step, share: None,
    cached: bool = False,
) -> Run:
    """Run a config, or the `text` that stood there, once `check` has seen its corpora.

    If it may be `cached`, nothing is learned or cut that the user's cache has. Raises what `run`
    does.
    """
    # All of it is slow to load, which whoever only reads a run need not wait for.
    from tokbench.config import load_experiment
    from tokbench.plugins import load as load_plugins
    from tokbench.runner.cache import Cache, folder_of_user
    from tokbench.runner.experiment import execute, read_corpora

    registry = load_plugins([*map(Path, plugins)], lazy=True)
    experiment = load_experiment(path, registry, text)
    corpora = read_corpora(experiment, registry)
    check(experiment, corpora)
    cache = Cache(folder_of_user() if cached else None, will_close=True)
    try:
        return execute(experiment, corpora, registry, progress, cache)
    finally:
        cache.close()
