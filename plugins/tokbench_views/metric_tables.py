"""Metrics by system and size: one table a metric, value with interval, differences marked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from tokbench.printing import escaped
from tokbench.run_folder import (
    MINIMUM_EVENT_UNITS,
    CorpusRecord,
    MetricRecord,
    Row,
    Run,
    size_number,
)
from tokbench_views.shared import (
    GATED,
    Grid,
    by_size,
    largest,
    listed_metrics,
    main_metrics,
    system_table,
)
from tokbench_views.spelling import number, whole

Family = Literal["oov", "segmentation", "boundaries"]
KINDS = {"oov": ("text", "list"), "segmentation": ("text",), "boundaries": ("gold",)}
Place = tuple[str, str, str, str, str]
"""System, corpus, subset, context and size."""

MOST_COLUMNS = 12
SAME = """
### {}

The same as *{}* everywhere.
"""
TABLES = """
## By metric, {at}

Brackets hold 95 % intervals, where systems differ. ▲ and ▼ mark what is surely above or below the
baseline. An empty cell is undefined. `metrics.md` has all sizes.
"""
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
    text = ""
    seen: dict[tuple[object, ...], str] = {}
    for metric in run.record.metrics:
        if metric.family == name:
            own = [row for row in rows if row.metric == metric.name]
            # Equal everywhere, intervals too: then the tables would be the same.
            values = tuple(
                (place(row), row.value, row.low, row.high, row.difference) for row in own
            )
            first = seen.setdefault(values, metric.name)
            equal = first != metric.name and any(row.value is not None for row in own)
            text += SAME.format(metric.name, first) if equal else _metric(run, metric, own)
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


def corpus_tables(run: Run) -> str:
    """Show for each corpus its systems by metric, at the largest size that half of them share.

    A system without that size is shown at its largest. Metrics that are the same for all systems
    are named below.
    """
    size = common_size(run)
    text = "".join(_corpus(run, test, size) for test in run.record.tests)
    at = f"at {size} or the largest size of a system" if size else "systems at their own sizes"
    return TABLES.format(at=at) + text if text else ""


def common_size(run: Run) -> str:
    """Return the largest size that half as many systems have as any, or more; empty without."""
    systems: dict[str, set[str]] = {}
    for outcome in run.record.outcomes:
        if outcome.size:
            systems.setdefault(outcome.size, set()).add(outcome.system)
    most = max(map(len, systems.values()), default=0)
    shared = [size for size, names in systems.items() if 2 * len(names) >= most]
    return max(shared, key=size_number, default="")


def _corpus(run: Run, test: CorpusRecord, size: str) -> str:
    """Write the table of one corpus; nothing where no metric has a value on all its words."""
    at = {one.system: one for one in largest(run)}
    at |= {one.system: one for one in run.record.outcomes if one.size == size and size}
    labels = {(one.system, one.size): one.label for one in at.values()}
    # Of what stands both in context and alone the first row counts, the system's own.
    found = {
        (row.metric, labels[row.system, row.size]): row
        for row in reversed(run.rows)
        if (row.corpus, row.subset) == (test.name, "all") and (row.system, row.size) in labels
    }
    columns: dict[str, dict[str, str]] = {}
    same = []
    most = None if listed_metrics(run) else MOST_COLUMNS
    for name in main_metrics(run):
        rows = {of: row for (metric, of), row in found.items() if metric == name}
        cells = {of: show(row, intervals=False) for of, row in rows.items()}
        # Where most systems agree, as in what they know, intervals would only repeat each other.
        if cells and 2 * max(Counter(cells.values()).values()) <= len(cells):
            cells = {of: show(replace(row, training_sd=None)) for of, row in rows.items()}
        if any(cells.values()) and (most is None or len(columns) < most):
            if len({*cells.values()}) == 1 and len(labels) > 1:
                same.append(f"{name} {next(iter(cells.values()))}")
            elif cells in columns.values():
                equal = next(other for other, shown in columns.items() if shown == cells)
                same.append(f"{name} as {equal}")
            else:
                columns[name] = cells
    if not columns and not same:
        return ""
    grid = {(of, name): text for name, shown in columns.items() for of, text in shown.items()}
    table = system_table((labels.values(), {name: name for name in columns}, grid), right=1)
    text = f"\n**{escaped(test.name)}**\n\n{table}" if columns else ""
    return text + (f"\nThe same for all, or as another: {'; '.join(same)}.\n" if same else "")


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
