"""The values of one metric over sizes: at the listed sizes, and at every size where known."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokbench.run_folder.tables import CurveSteps, Point, Row, SeriesKey, size_number
from tokbench.score.resample import Floats

Sizes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Series:
    """One metric of one system on one corpus, by size.

    `listed` stands in the order of sizes, undefined values left out, and `totals` are the |V| of
    these sizes, which are smaller where the training text allowed no more.
    """

    key: SeriesKey
    better: str
    listed: tuple[Point, ...]
    totals: tuple[int, ...]
    curve: CurveSteps | None = None

    @property
    def values(self) -> Floats:
        """The values at the listed sizes."""
        return np.array([point.value for point in self.listed], dtype=np.float64)

    @property
    def grown(self) -> tuple[Sizes, Sizes]:
        """The places of the listed sizes that have more tokens than all before, and their |V|."""
        most = np.maximum.accumulate(np.array(self.totals, dtype=np.int64))
        totals, chosen = np.unique(most, return_index=True)
        return chosen, totals

    def point(self, size: int, value: float) -> Point:
        """Return a point of a curve, its size written as the listed ones are."""
        before = "".join(self.listed[0].size.rpartition(":")[:2])
        return Point(f"{before}{size}", float(value))


def series_of(rows: Iterable[Row], curves: Iterable[CurveSteps] = ()) -> Iterator[Series]:
    """Group the values on all words into series: those with a direction and two sizes or more."""
    grouped: dict[SeriesKey, dict[str, Row]] = {}
    for row in rows:
        if row.subset == "all" and row.better != "neither" and row.size and row.value is not None:
            key = (row.system, row.corpus, row.metric)
            # Of a system cut both in context and alone, the first stands.
            grouped.setdefault(key, {}).setdefault(row.size, row)
    drawn = {curve.key: curve for curve in curves if curve.subset == "all"}
    for key, found in grouped.items():
        if len(found) > 1:
            ordered = sorted(found.values(), key=lambda row: size_number(row.size))
            points = tuple(Point(row.size, row.value) for row in ordered if row.value is not None)
            totals = tuple(row.vocabulary_size or 0 for row in ordered)
            yield Series(key, ordered[-1].better, points, totals, drawn.get(key))


def every_size(curve: CurveSteps) -> tuple[Sizes, Floats]:
    """Return a curve with one point a size, from the first size at which it is defined."""
    end = curve.sizes[-1] + 1
    sizes = np.arange(curve.sizes[0], end)
    values = np.repeat(curve.values, np.diff(np.append(curve.sizes, end)))
    begun = np.logical_or.accumulate(np.isfinite(values))
    return sizes[begun], values[begun]
