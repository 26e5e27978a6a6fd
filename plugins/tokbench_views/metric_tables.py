"""Metrics by system and size: one table a metric, value with interval, differences marked."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

from tokbench.printing import escaped
from tokbench.run_folder import MINIMUM_EVENT_UNITS, MetricRecord, Row, Run
from tokbench_views.shared import GATED, Grid, by_size, system_table
from tokbench_views.spelling import number, whole

Family = Literal["oov", "segmentation", "boundaries"]
KINDS = {"oov": ("text", "list"), "segmentation": ("text",), "boundaries": ("gold",)}
Place = tuple[str, str, str, str, str]
"""System, corpus, subset, context and size."""

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
    text += f"\nEvidence: {escaped(metric.evidence)}\n" if metric.evidence else ""
    by_chance = (one.meaning for one in run.record.metrics if one.name == metric.chance)
    text += "".join(f"\n*chance*: {meaning}\n" for meaning in by_chance)
    chance = {place(row): row for row in run.rows if row.metric == metric.chance}
    units = {
        test.name: run.record.resample_by if test.kind == "text" else "word"
        for test in run.record.tests
    }
    for corpus in dict.fromkeys(row.corpus for row in rows):
        here = [row for row in rows if row.corpus == corpus]
        for subset in ("all", "unseen"):
            chosen = [row for row in here if row.subset == subset]
            if _shown(chosen, here, subset):
                shown = partial(show, unit=units[corpus], chance=chance)
                text += f"\n*{corpus}*, {subset} words" + _table(by_size(run, chosen, shown))
    return text


def _shown(chosen: Sequence[Row], here: Sequence[Row], subset: str) -> bool:
    """Leave out a table without a value, and one of unseen words where that is all words."""
    if all(row.value is None for row in chosen):
        return False
    whole = [row.value for row in here if row.subset == "all"]
    return subset == "all" or [row.value for row in chosen] != whole


def _table(grid: Grid) -> str:
    """Return a table of the rows and columns that have cells, or one line if all are the same."""
    systems, columns, cells = grid
    texts = {*cells.values()}
    if len(texts) == 1:
        return f": {texts.pop() or 'undefined'} for every system.\n"
    measured = [system for system in systems if any(of == system for of, _ in cells)]
    kept = {at: title for at, title in columns.items() if any(to == at for _, to in cells)}
    return "\n\n" + system_table((measured, kept, cells), right=1)


def show(
    row: Row, intervals: bool = True, unit: str = "line", chance: Mapping[Place, Row] | None = None
) -> str:
    """Show a value with its mark, and its interval or how few events it counts in what `unit`s.

    What `chance` gives at the same place is shown beside. Nothing where it is undefined.
    """
    if row.value is None:
        return ""
    text = number(row.value) + GATED * bool(row.gated)
    if row.significant and row.difference is not None:
        text += " ▲" if row.difference > 0 else " ▼"
    beside = []
    if row.low is not None and row.high is not None:
        beside.append(f"{number(row.low)}–{number(row.high)}")
    elif row.events and (row.event_units or 0) < MINIMUM_EVENT_UNITS:
        beside.append(_events(row, unit))
    if row.training_sd is not None:
        beside.append(f"sd {number(row.training_sd)}")
    by_chance = (chance or {}).get(place(row))
    if by_chance is not None and by_chance.value is not None:
        beside.append(f"chance {number(by_chance.value)}")
    return f"{text} ({', '.join(beside)})" if intervals and beside else text


def place(row: Row) -> Place:
    """Return what tells the rows of one metric apart."""
    return row.system, row.corpus, row.subset, row.context, row.size


def _events(row: Row, unit: str) -> str:
    """Say how few words or tokens a share counts, or leaves out: `3 of 11,021 in 2 lines`."""
    events, units = row.events or 0, row.event_units or 0
    text = f"{events:,.0f} of {row.n or 0:,.0f} in {whole(units)} {unit}" + "s" * (units != 1)
    return f"all but {text}" if row.value is not None and row.value > 0.5 else text
