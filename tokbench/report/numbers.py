"""Metrics by system and size: one table a metric, value with interval, differences marked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from tokbench.printing import escaped
from tokbench.report.choose import largest, named, names, size_columns, system_table
from tokbench.run_folder import Run
from tokbench.run_folder.record import MetricRecord
from tokbench.run_folder.tables import Row

Family = Literal["oov", "segmentation", "boundaries"]
KINDS = {"oov": ("text", "list"), "segmentation": ("text",), "boundaries": ("gold",)}
BETTER = {
    "higher": "higher is better",
    "lower": "lower is better",
    "neither": "neither direction is better by itself",
}


def family(run: Run, name: Family, title: str) -> str:
    """Write one section: the metrics of a family, on the corpora that they are meant for.

    Where a run has none of these corpora, on those that it has.
    """
    tests = run.record.tests
    corpora = [test.name for test in tests if test.kind in KINDS[name]]
    corpora = corpora or [test.name for test in tests]
    parts = []
    all_rows = named(run, run.rows)
    for metric in run.record.metrics:
        if metric.family == name:
            rows = [row for row in all_rows if row.metric == metric.name and row.corpus in corpora]
            if any(row.value is not None for row in rows):
                parts.append(_metric(run, metric, rows))
    return f"\n## {title}\n" + "".join(parts) if parts else ""


def _metric(run: Run, metric: MetricRecord, rows: Sequence[Row]) -> str:
    better = BETTER[metric.better].capitalize()
    text = f"\n### {metric.name}\n\n{metric.meaning} {better}.\n"
    text += f"\nFormula: {escaped(metric.formula)}\n"
    lists = {test.name for test in run.record.tests if test.kind == "list"}
    for corpus in dict.fromkeys(row.corpus for row in rows):
        here = [row for row in rows if row.corpus == corpus]
        categories = [row for row in here if row.subset.startswith("category:")]
        by_category = bool(categories) and metric.interval
        # A list is read by its categories; its words taken together have no meaning of their own.
        for subset in () if by_category and corpus in lists else ("all", "unseen"):
            chosen = [row for row in here if row.subset == subset]
            if _shown(chosen, here, subset):
                text += f"\n*{corpus}*, {subset} words" + by_size(run, chosen)
        if by_category:
            text += f"\n*{corpus}*, by category, at each system's largest size"
            text += _by_category(run, categories)
    return text


def _shown(chosen: Sequence[Row], here: Sequence[Row], subset: str) -> bool:
    """Leave out a table without a value, and one of unseen words where that is all words."""
    if all(row.value is None for row in chosen):
        return False
    whole = [row.value for row in here if row.subset == "all"]
    return subset == "all" or [row.value for row in chosen] != whole


def by_size(run: Run, rows: Sequence[Row]) -> str:
    """Return a table of systems x sizes, or one line where every number is the same."""
    return _pivot(names(run), rows, "size", size_columns(run))


def _by_category(run: Run, rows: Sequence[Row]) -> str:
    """Return a table of systems x categories, each system at its largest size."""
    labels = {(o.system, o.size): o.label for o in largest(run)}
    kept = [
        replace(row, system=labels[row.system, row.size])
        for row in rows
        if (row.system, row.size) in labels
    ]
    subsets = sorted({row.subset for row in kept})
    columns = {subset: subset.removeprefix("category:") for subset in subsets}
    return _pivot(labels.values(), kept, "subset", columns, intervals=False)


def _pivot(
    systems: Iterable[str],
    rows: Sequence[Row],
    across: str,
    columns: Mapping[str, str],
    intervals: bool = True,
) -> str:
    """Return a table; one line where all numbers are the same, one row for systems that agree."""
    cells: dict[tuple[str, str], str] = {}
    for row in rows:
        cells.setdefault((row.system, getattr(row, across)), show(row, intervals))
    texts = {*cells.values()}
    if len(texts) == 1:
        return f": {texts.pop() or 'undefined'} for every system.\n"
    measured = [system for system in systems if any(of == system for of, _ in cells)]
    kept = {at: title for at, title in columns.items() if any(to == at for _, to in cells)}
    return "\n\n" + system_table(measured, kept, cells, right=1)


def show(row: Row, intervals: bool = True) -> str:
    """Show a value with its mark and interval; nothing where it is undefined."""
    if row.value is None:
        return ""
    text = number(row.value)
    if row.significant and row.difference is not None:
        text += " ▲" if row.difference > 0 else " ▼"
    if intervals and row.low is not None and row.high is not None:
        text += f" ({number(row.low)}–{number(row.high)})"
    return text


def number(value: float | None) -> str:
    """Spell a number for reading: three decimals below a hundred, none above a thousand.

    Nothing where it is undefined.
    """
    if value is None or value != value:
        return ""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 100 else f"{value:.3f}"
