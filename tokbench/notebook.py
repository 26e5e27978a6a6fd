"""Runs in a notebook: `tokbench.run(config)`, and how a run shows itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokbench.run_folder import Run

if TYPE_CHECKING:
    from tokbench.config import Experiment
    from tokbench.corpora.load import Corpora


class NotebookRun(Run):
    """A run that shows itself in a notebook: its answer and its first chart."""

    def _repr_html_(self) -> str:
        """Show what the view `notebook` shows."""
        from tokbench.cli.views import shown, view_of
        from tokbench.plugins import load

        return shown(view_of(load(lazy=True), "notebook", {}), self, "html")


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
    progress: Callable[[str, float], None] = lambda message, share: None,
    cached: bool = False,
) -> Run:
    """Run a config, or the `text` that stood there, once `check` has seen its corpora.

    If it may be `cached`, nothing is learned or cut that the user's cache has. Raises what `run`
    does.
    """
    # All of it is slow to load, which whoever only reads a run need not wait for.
    from tokbench.config import load_experiment
    from tokbench.plugins import load
    from tokbench.runner.cache import Cache, folder_of_user
    from tokbench.runner.experiment import execute, read_corpora

    registry = load([*map(Path, plugins)], lazy=True)
    experiment = load_experiment(path, registry, text)
    corpora = read_corpora(experiment, registry)
    check(experiment, corpora)
    cache = Cache(folder_of_user() if cached else None)
    done = execute(experiment, corpora, registry, progress, cache)
    cache.trim()
    return done
