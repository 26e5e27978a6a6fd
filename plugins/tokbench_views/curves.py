"""Whole curves in short: each metric at sizes spread evenly by ratio, and where all the rest is."""

from collections.abc import Mapping, Sequence

import numpy as np

from tokbench.printing import escaped
from tokbench.run_folder import CurveSteps, Run
from tokbench_views.shared import system_table
from tokbench_views.spelling import number

SHOWN = 10
TITLE = "\n## Curves: every vocabulary size\n"
INTRODUCTION = """
The values on {corpus}, at sizes that grow by a constant ratio. `curves.csv` holds every size,
corpus and subset: one line for each size at which the value changes, and one for the last size.
The values are exact. The other tables show intervals, at the listed sizes. A cell is empty where no
vocabulary is that small, and above the largest size that the config asks of a system.
"""
NONE = "\nThere are none: no vocabulary is that small, or the notes above give the reason.\n"
ELSEWHERE = "\nThere are none on {corpus}. `curves.csv` holds the curves of the other corpora.\n"


def curve_tables(run: Run) -> str:
    """Show each metric's curves on the main corpus; nothing where the config asked for none."""
    if run.curves is None:
        return ""
    corpus = run.record.tests[0].name
    here = [curve for curve in run.curves if (curve.corpus, curve.subset) == (corpus, "all")]
    if not here:
        return TITLE + (ELSEWHERE.format(corpus=escaped(corpus)) if run.curves else NONE)
    ends = {s.name: s.curve_to for s in run.record.systems if s.curve_to is not None}
    text = "".join(
        _metric(metric, [curve for curve in here if curve.metric == metric], ends)
        for metric in dict.fromkeys(curve.metric for curve in here)
    )
    return TITLE + INTRODUCTION.format(corpus=escaped(corpus)) + text


def _metric(name: str, curves: Sequence[CurveSteps], ends: Mapping[str, int]) -> str:
    """Write one line where all values are the same, else a table for each unit of size."""
    finite = np.concatenate([curve.values[np.isfinite(curve.values)] for curve in curves])
    if not len(finite):
        return f"\n**{escaped(name)}**: undefined at every size.\n"
    shown = {number(float(value)) for value in (finite.min(), finite.max())}
    if len(shown) == 1:
        return f"\n**{escaped(name)}**: {shown.pop()} at every size.\n"
    tables = [
        _table([curve for curve in curves if curve.unit == unit], ends)
        for unit in dict.fromkeys(curve.unit for curve in curves)
    ]
    return f"\n**{escaped(name)}**\n\n" + "\n".join(tables)


def _table(curves: Sequence[CurveSteps], ends: Mapping[str, int]) -> str:
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
    return system_table(([curve.system for curve in curves], columns, cells), right=1)


def spread(first: int, last: int) -> list[int]:
    """Return about ten whole numbers from first to last, each about as many times the one before.

    >>> spread(1, 512)
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    """
    steps = np.geomspace(max(first, 1), max(last, 1), SHOWN)
    return sorted({first, *(n for n in np.rint(steps).astype(int).tolist() if n <= last), last})
