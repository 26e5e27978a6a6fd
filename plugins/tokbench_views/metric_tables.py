"""Metrics by system and size: one table a metric, value with interval, differences marked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from tokbench.printing import NARROW, counted, escaped, metric_title, number, prose
from tokbench.run_folder import (
    MINIMUM_EVENT_UNITS,
    CorpusRecord,
    CurveSteps,
    MetricRecord,
    OutcomeRecord,
    Row,
    Run,
)
from tokbench_views.shared import (
    at_common_size,
    by_size,
    common_size,
    listed_metrics,
    main_metrics,
    rows_of,
    signs,
    size_in_words,
    system_table,
)

Family = Literal["oov", "segmentation", "boundaries"]
CORPUS_KINDS = {"oov": ("text", "list"), "segmentation": ("text",), "boundaries": ("gold",)}
Place = tuple[str, str, str, str, str]
"""System, corpus, subset, context and size."""

MOST_COLUMNS = 12
TABLES = """
## By metric, {at}

Brackets hold 95 % intervals, where systems differ. ▲ and ▼ mark what is surely above or below the
baseline. An empty cell is undefined. A system without this size is shown at its largest.
`data/metrics.md` has all sizes, and the names of metrics that configs and options take.
"""
CURVE_SIZES = 10
CURVES = "\n## Curves: every vocabulary size\n"
CURVES_READING = """
The values on {corpus}, at sizes that grow by a constant ratio. `data/curves.csv` holds every size,
corpus and subset: one line for each size at which the value changes, and one for the last size.
The values are exact. The other tables show intervals, at the listed sizes. A cell is empty where no
vocabulary is that small, and above the largest size that the config asks of a system.
"""
NO_CURVES = (
    "\nThere are none on {corpus}: no vocabulary is that small, or the notes above give the reason."
    "\n"
)
BETTER = {
    "higher": "Higher is better.",
    "lower": "Lower is better.",
    "neither": "Neither direction is better by itself.",
}


def family(run: Run, name: Family, title: str) -> str:
    """Write one section: the metrics of a family, on the corpora that they are meant for.

    Where a run has none of these corpora, on those that it has.
    """
    corpora = [test.name for test in run.record.tests if test.kind in CORPUS_KINDS[name]]
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
    title = metric_title(run.record.labels[metric.name], metric.name)
    text = f"\n### {title}\n\n{prose(metric.meaning)} {BETTER[metric.better]}\n"
    text += f"\nFormula: {escaped(metric.formula)}\n"
    text += f"\nEvidence: {escaped(metric.evidence)}\n" if metric.evidence else ""
    by_chance = (other.meaning for other in run.record.metrics if other.name == metric.chance)
    text += "".join(f"\n*chance*: {prose(meaning)}\n" for meaning in by_chance)
    chance = {place(row): row for row in run.rows if row.metric == metric.chance}
    # What holds the events: of texts lines, which blocks are made of too, or documents.
    units = {t.name: "line" if t.kind == "text" else "word" for t in run.record.tests}
    units |= {t.name: "document" for t in run.record.tests if t.drawn_by == "document"}
    for corpus in dict.fromkeys(row.corpus for row in rows):
        of_corpus = [row for row in rows if row.corpus == corpus]
        of_all = [row.value for row in of_corpus if row.subset == "all"]
        for subset in ("all", "unseen"):
            chosen = [row for row in of_corpus if row.subset == subset]
            values = [row.value for row in chosen]
            # Where all words are unseen, both tables would be the same.
            if any(value is not None for value in values) and (subset == "all" or values != of_all):
                shown = partial(show, run, unit=units[corpus], chance=chance)
                text += f"\n*{corpus}*, {subset} words" + _table(*by_size(run, chosen, shown))
    return text


def corpus_tables(run: Run) -> str:
    """Show for each corpus its systems by metric, at the largest size that half of them share.

    A system without that size is shown at its largest. Metrics that are the same for all systems
    are named below.
    """
    size = common_size(run)
    outcomes = [*at_common_size(run, size).values()]
    text = "".join(_corpus(run, test, outcomes) for test in run.record.tests)
    at = f"at {size_in_words(size)}" if size else "systems at their own sizes"
    return TABLES.format(at=at) + text if text else ""


def _corpus(run: Run, test: CorpusRecord, outcomes: Sequence[OutcomeRecord]) -> str:
    """Write the table of one corpus; nothing where no metric has a value on all its words."""
    of_all = [row for row in run.rows if (row.corpus, row.subset) == (test.name, "all")]
    rows = rows_of(outcomes, of_all, lambda row: row.metric)
    columns: dict[str, dict[str, str]] = {}
    same = []
    labels = run.record.labels
    most = None if listed_metrics(run) else MOST_COLUMNS
    for name in main_metrics(run):
        own = {label: row for (label, metric), row in rows.items() if metric == name}
        cells = _cells(run, own)
        if any(cells.values()) and (most is None or len(columns) < most):
            if len({*cells.values()}) == 1 and len(outcomes) > 1:
                same.append(f"{labels[name]} {next(iter(cells.values()))}")
            elif cells in columns.values():
                equal = next(other for other, shown in columns.items() if shown == cells)
                same.append(f"{labels[name]} as {labels[equal]}")
            else:
                columns[name] = cells
    grid = {(label, name): text for name, shown in columns.items() for label, text in shown.items()}
    table = system_table(
        (o.label for o in outcomes), {name: labels[name] for name in columns}, grid
    )
    text = f"\n**{escaped(test.name)}**\n\n{table}" if columns else ""
    return text + (f"\nThe same for all, or as another: {'; '.join(same)}.\n" if same else "")


def _cells(run: Run, rows: Mapping[str, Row]) -> dict[str, str]:
    """Show the value of each system, with its interval unless most systems agree.

    Where they agree, as in what they know, intervals would only repeat each other.
    """
    cells = {label: show(run, row, intervals=False) for label, row in rows.items()}
    if cells and 2 * max(Counter(cells.values()).values()) <= len(cells):
        return {label: show(run, replace(row, training_sd=None)) for label, row in rows.items()}
    return cells


def _table(
    systems: Sequence[str], columns: Mapping[str, str], cells: Mapping[tuple[str, str], str]
) -> str:
    """Return a table of the rows and columns that have cells, or one line if all are the same."""
    texts = {*cells.values()}
    if len(texts) == 1:
        return f": {texts.pop() or 'undefined'} for every system.\n"
    measured, sizes = {system for system, _ in cells}, {size for _, size in cells}
    rows = [system for system in systems if system in measured]
    titles = {size: title for size, title in columns.items() if size in sizes}
    return "\n\n" + system_table(rows, titles, cells)


def show(
    run: Run,
    row: Row | None,
    intervals: bool = True,
    unit: str = "line",
    chance: Mapping[Place, Row] | None = None,
) -> str:
    """Show a value with its signs, and its interval or how few events it counts in what `unit`s.

    What `chance` gives at the same place is shown beside. Nothing where there is no value.
    """
    if row is None or row.value is None:
        return ""
    text = number(row.value) + signs(run, row)
    if row.significant and row.difference is not None:
        text += " ▲" if row.difference > 0 else " ▼"
    beside = []
    if row.low is not None and row.high is not None:
        beside.append(f"{number(row.low)}–{number(row.high)}{NARROW * bool(row.short_text)}")
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
    text = f"{events:,.0f} of {row.n or 0:,.0f} in {counted(units, unit)}"
    return f"all but {text}" if row.value is not None and row.value > 0.5 else text


def curve_tables(run: Run) -> str:
    """Show each metric's curves on the main corpus; nothing where the config asked for none."""
    if run.curves is None:
        return ""
    corpus = run.record.tests[0].name
    curves = [curve for curve in run.curves if (curve.corpus, curve.subset) == (corpus, "all")]
    if not curves:
        return CURVES + NO_CURVES.format(corpus=escaped(corpus))
    ends = {s.name: s.curve_to for s in run.record.systems if s.curve_to is not None}
    text = "".join(
        _curves_of(
            run.record.labels[metric], [curve for curve in curves if curve.metric == metric], ends
        )
        for metric in dict.fromkeys(curve.metric for curve in curves)
    )
    return CURVES + CURVES_READING.format(corpus=escaped(corpus)) + text


def _curves_of(name: str, curves: Sequence[CurveSteps], ends: Mapping[str, int]) -> str:
    """Write one line where all values are the same, else a table for each unit of size."""
    finite = np.concatenate([curve.values[np.isfinite(curve.values)] for curve in curves])
    if not len(finite):
        return f"\n**{escaped(name)}**: undefined at every size.\n"
    shown = {number(float(value)) for value in (finite.min(), finite.max())}
    if len(shown) == 1:
        return f"\n**{escaped(name)}**: {shown.pop()} at every size.\n"
    tables = [
        _curve_table([curve for curve in curves if curve.unit == unit], ends)
        for unit in dict.fromkeys(curve.unit for curve in curves)
    ]
    return f"\n**{escaped(name)}**\n\n" + "\n".join(tables)


def _curve_table(curves: Sequence[CurveSteps], ends: Mapping[str, int]) -> str:
    sizes = spread(
        min(int(curve.sizes[0]) for curve in curves), max(int(curve.sizes[-1]) for curve in curves)
    )
    # Above its largest vocabulary a curve has the value of that one, up to the end asked for.
    cells = {
        (curve.system, str(size)): number(curve.at(size))
        for curve in curves
        for size in sizes
        if size <= ends[curve.system]
    }
    columns = {str(size): f"{curves[0].unit}{size}" for size in sizes}
    return system_table([curve.system for curve in curves], columns, cells)


def spread(first: int, last: int) -> list[int]:
    """Return about ten whole numbers from first to last, each about as many times the one before.

    >>> spread(1, 512)
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    """
    steps = np.geomspace(max(first, 1), max(last, 1), CURVE_SIZES)
    return sorted({first, *(n for n in np.rint(steps).astype(int).tolist() if n <= last), last})
