"""Metrics by system and size: one table a metric, value with interval, differences marked."""

from collections.abc import Sequence
from typing import Literal

from tokbench.printing import escaped, number
from tokbench.report.shared import GATED, Grid, by_size, largest, system_table
from tokbench.run_folder import Run
from tokbench.run_folder.record import MetricRecord
from tokbench.run_folder.tables import Row

Family = Literal["oov", "segmentation", "boundaries"]
KINDS = {"oov": ("text", "list"), "segmentation": ("text",), "boundaries": ("gold",)}
BETTER = {
    "higher": "Higher is better.",
    "lower": "Lower is better.",
    "neither": "Neither direction is better by itself.",
}


def family(run: Run, name: Family, title: str) -> str:
    """Write one section: the metrics of a family, on the corpora that they are meant for.

    Where a run has none of these corpora, on those that it has.
    """
    corpora = [test.name for test in run.record.tests if test.kind in KINDS[name]]
    rows = [row for row in run.rows if row.corpus in corpora or not corpora]
    text = "".join(
        _metric(run, metric, [row for row in rows if row.metric == metric.name])
        for metric in run.record.metrics
        if metric.family == name
    )
    return f"\n## {title}\n{text}" if text else ""


def _metric(run: Run, metric: MetricRecord, rows: Sequence[Row]) -> str:
    """Write the tables of one metric by corpus; nothing where it is undefined everywhere."""
    if all(row.value is None for row in rows):
        return ""
    text = f"\n### {metric.name}\n\n{metric.meaning} {BETTER[metric.better]}\n"
    text += f"\nFormula: {escaped(metric.formula)}\n"
    lists = {test.name for test in run.record.tests if test.kind == "list"}
    for corpus in dict.fromkeys(row.corpus for row in rows):
        here = [row for row in rows if row.corpus == corpus]
        categories = [r for r in here if metric.interval and r.subset.startswith("category:")]
        # A list is read by its categories; its words taken together have no meaning of their own.
        for subset in () if categories and corpus in lists else ("all", "unseen"):
            chosen = [row for row in here if row.subset == subset]
            if _shown(chosen, here, subset):
                text += f"\n*{corpus}*, {subset} words" + _table(by_size(run, chosen, show))
        if categories:
            text += f"\n*{corpus}*, by category, at each system's largest size"
            text += _table(_by_category(run, categories))
    return text


def _shown(chosen: Sequence[Row], here: Sequence[Row], subset: str) -> bool:
    """Leave out a table without a value, and one of unseen words where that is all words."""
    if all(row.value is None for row in chosen):
        return False
    whole = [row.value for row in here if row.subset == "all"]
    return subset == "all" or [row.value for row in chosen] != whole


def _by_category(run: Run, rows: Sequence[Row]) -> Grid:
    """Return the parts of a table of systems x categories, each system at its largest size."""
    labels = {(o.system, o.size): o.label for o in largest(run)}
    cells = {
        (labels[row.system, row.size], row.subset): show(row, intervals=False)
        for row in reversed(rows)  # so that of rows that share a cell the first is shown
        if (row.system, row.size) in labels
    }
    columns = {of: of.removeprefix("category:") for of in sorted({row.subset for row in rows})}
    return labels.values(), columns, cells


def _table(grid: Grid) -> str:
    """Return a table of the rows and columns that have cells, or one line if all are the same."""
    systems, columns, cells = grid
    texts = {*cells.values()}
    if len(texts) == 1:
        return f": {texts.pop() or 'undefined'} for every system.\n"
    measured = [system for system in systems if any(of == system for of, _ in cells)]
    kept = {at: title for at, title in columns.items() if any(to == at for _, to in cells)}
    return "\n\n" + system_table((measured, kept, cells), right=1)


def show(row: Row, intervals: bool = True) -> str:
    """Show a value with its mark and interval; nothing where it is undefined."""
    if row.value is None:
        return ""
    text = number(row.value) + GATED * bool(row.gated)
    if row.significant and row.difference is not None:
        text += " ▲" if row.difference > 0 else " ▼"
    if intervals and row.low is not None and row.high is not None:
        text += f" ({number(row.low)}–{number(row.high)})"
    return text
