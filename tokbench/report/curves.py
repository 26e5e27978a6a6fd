"""Whole curves in short: each metric at sizes spread evenly by ratio, and where all the rest is."""

from collections.abc import Sequence

import numpy as np

from tokbench.report.choose import main_corpus
from tokbench.report.numbers import number
from tokbench.report.table import escaped, markdown_table
from tokbench.runner.curves import Curve
from tokbench.runner.run import Run

SHOWN = 10
TITLE = "\n## Curves: every vocabulary size\n"
INTRODUCTION = """
On {corpus}, at sizes spread evenly by ratio; `curves.csv` holds every size, corpus and subset: a
line where the value differs from that of the size before, and one at the last size. The values are
exact; intervals are those of the listed sizes, in the other tables. A cell is empty where no
vocabulary is so small, and above the sizes that the config asks of a system.
"""
NONE = "\nThere are none: no vocabulary is so small, or the notes above tell why.\n"
ELSEWHERE = "\nThere are none on {corpus}; those of other corpora are in `curves.csv`.\n"


def curve_tables(run: Run) -> str:
    """Show each metric's curves on the main corpus; nothing where the config asked for none."""
    if run.curves is None:
        return ""
    corpus = main_corpus(run).name
    here = [curve for curve in run.curves if (curve.corpus, curve.subset) == (corpus, "all")]
    text = "".join(
        _metric(metric, [curve for curve in here if curve.metric == metric])
        for metric in dict.fromkeys(curve.metric for curve in here)
    )
    if run.curves and not here:
        return TITLE + ELSEWHERE.format(corpus=escaped(corpus))
    return TITLE + (INTRODUCTION.format(corpus=escaped(corpus)) + text if here else NONE)


def _metric(name: str, curves: Sequence[Curve]) -> str:
    """Give one line where all values are the same, else a table for each unit of size."""
    finite = np.concatenate([curve.values[np.isfinite(curve.values)] for curve in curves])
    if not len(finite):
        return f"\n**{escaped(name)}**: undefined at every size.\n"
    shown = {number(float(value)) for value in (finite.min(), finite.max())}
    if len(shown) == 1:
        return f"\n**{escaped(name)}**: {shown.pop()} at every size.\n"
    tables = [
        _table([curve for curve in curves if curve.points.unit == unit])
        for unit in dict.fromkeys(curve.points.unit for curve in curves)
    ]
    return f"\n**{escaped(name)}**\n\n" + "\n".join(tables)


def _table(curves: Sequence[Curve]) -> str:
    sizes = spread(
        min(int(curve.points.asked[0]) for curve in curves),
        max(int(curve.points.asked[-1]) for curve in curves),
    )
    unit = curves[0].points.unit
    agreeing: dict[tuple[str, ...], list[str]] = {}
    for curve in curves:
        cells = tuple(_cell(curve, size) for size in sizes)
        agreeing.setdefault(cells, []).append(curve.system)
    rows = [(", ".join(systems), *cells) for cells, systems in agreeing.items()]
    return markdown_table(("system", *(f"{unit}{size}" for size in sizes)), rows, right=1)


def spread(first: int, last: int) -> list[int]:
    """Give about ten whole numbers from first to last, each about as many times the one before.

    >>> spread(1, 512)
    [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    """
    steps = np.geomspace(max(first, 1), max(last, 1), SHOWN)
    return sorted({first, *(n for n in np.rint(steps).astype(int).tolist() if n <= last), last})


def _cell(curve: Curve, size: int) -> str:
    """Show the value at a size; nothing where it is undefined or outside the range asked for.

    Where the training text allows no vocabulary as large, that of the largest.
    """
    if size > curve.points.end:
        return ""
    place = size - int(curve.points.asked[0])
    value = curve.values[min(place, len(curve.points) - 1)] if place >= 0 else np.nan
    return number(float(value)) if np.isfinite(value) else ""
