"""Runs in a notebook: `tokbench.run(config)`, tables, charts, and how a run shows itself."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokbench.errors import UsageError
from tokbench.run_folder import Run

VEGA_LITE = "application/vnd.vegalite.v5+json"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"


class MetricChart:
    """A chart as a Vega-Lite specification, which notebooks draw."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.spec = spec

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {VEGA_LITE: self.spec, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<MetricChart: {self.spec['title']}>"


class NotebookRun(Run):
    """A run that shows itself in a notebook: its answer and its first chart."""

    def plot(self, metric: str, corpus: str = "", subset: str = "all") -> MetricChart:
        """Draw a metric by vocabulary size, a line a system with its 95 % interval.

        Without a `corpus` it is the first one that has the metric. Raises UsageError for a metric,
        corpus or subset that the run does not have.
        """
        found = [
            row
            for row in self.rows
            if row.metric == metric and row.subset == subset and row.training_share == 1
        ]
        corpus = corpus or (found[0].corpus if found else "")
        rows = [row for row in found if row.corpus == corpus and row.value is not None]
        if not rows:
            known = ", ".join(dict.fromkeys(row.metric for row in self.rows if row.metric))
            place = f"{metric!r} on {corpus or 'any corpus'}, {subset} words"
            raise UsageError(f"the run has no value of {place}; its metrics are: {known}")
        values = [
            {
                "system": row.system,
                "size": row.vocabulary_size,
                "value": row.value,
                "low": row.low,
                "high": row.high,
            }
            for row in rows
        ]
        size = {"field": "size", "type": "quantitative", "title": "|V|", "scale": {"type": "log"}}
        value = {"type": "quantitative", "scale": {"zero": False}, "title": metric}
        line = {"mark": {"type": "line", "point": True}}
        return MetricChart(
            {
                "$schema": SCHEMA,
                "title": f"{metric} on {corpus}, {subset} words",
                "width": 480,
                "height": 300,
                "data": {"values": values},
                "encoding": {"x": size, "color": {"field": "system", "type": "nominal"}},
                "layer": [
                    {
                        "mark": {"type": "area", "opacity": 0.15},
                        "encoding": {"y": {**value, "field": "low"}, "y2": {"field": "high"}},
                    },
                    {**line, "encoding": {"y": {**value, "field": "value"}}},
                ],
            }
        )

    def _repr_html_(self) -> str:
        """Show what the view `notebook` shows."""
        from tokbench.cli.views import shown, view_of
        from tokbench.plugins import load

        return shown(view_of(load(lazy=True), "notebook"), self, "html")


def run(config: str | Path | Mapping[str, Any], plugins: Sequence[str | Path] = ()) -> NotebookRun:
    """Learn, segment and score what a config asks for; nothing is written.

    `config` is a file, or what one would hold, with paths from the current folder. `plugins` are
    plugin files. Failures of systems are in `record.failures`. Raises what `tokbench run` ends
    with: UsageError, PluginError, InputError.
    """
    # All of it is slow to load, which whoever only reads a run need not wait for.
    from tokbench.cli.engine import engine_of
    from tokbench.config import load_experiment
    from tokbench.plugins import load
    from tokbench.runner.run import execute

    registry = load([*map(Path, plugins)], lazy=True)
    with _file_of(config) as path:
        experiment = load_experiment(path, registry)
    with engine_of(experiment):
        corpora = experiment.load_corpora()
        done = execute(experiment, corpora, registry, lambda message, share: None)
    record = replace(done.record, name="config") if isinstance(config, Mapping) else done.record
    return NotebookRun(**{**vars(done), "record": record})


@contextmanager
def _file_of(config: str | Path | Mapping[str, Any]) -> Iterator[Path]:
    """Return the file of a config; of plain values one in the current folder, for a moment."""
    if not isinstance(config, Mapping):
        yield Path(config)
        return
    import yaml

    with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=".", encoding="utf-8") as file:
        yaml.safe_dump(dict(config), file, sort_keys=False)
        file.flush()
        yield Path(file.name)
