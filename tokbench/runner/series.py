"""The values of one metric over sizes: at the listed sizes, and at every size where known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokbench.runner.results import cell
from tokbench.stats import Floats

Sizes = NDArray[np.int64]

Key = tuple[str, str, str]
"""System, corpus and metric."""

Value = tuple[Key, str, str, float, int]
"""A key, the direction (`higher`, `lower` or `neither`), a listed size, the value and |V| there."""


class Point(NamedTuple):
    """A size as the results show it, `1000` or `merges:1000`, and the value there."""

    size: str
    value: float


@dataclass(frozen=True, eq=False)
class Changes:
    """A curve by its changes: `values[i]` holds from `sizes[i]` up to the next, NaN undefined.

    The last size is that of the largest vocabulary inside the range asked for.
    """

    sizes: Sizes
    values: Floats


@dataclass(frozen=True, eq=False)
class Series:
    """One metric of one system on one corpus, by size.

    `listed` stands in the order of sizes, undefined values left out, and `totals` are the |V| of
    these sizes, which are smaller where the training text allowed no more. `not_worse` is the
    smallest size that is not significantly worse than the best, where it is known.
    """

    key: Key
    better: str
    listed: tuple[Point, ...]
    totals: tuple[int, ...]
    curve: Changes | None = None
    not_worse: str | None = None

    @cached_property
    def points(self) -> tuple[Sizes, Floats]:
        """The numbers of the listed sizes, and the values there."""
        sizes = np.array([number(point.size) for point in self.listed], dtype=np.int64)
        return sizes, np.array([point.value for point in self.listed], dtype=np.float64)

    @property
    def grown(self) -> tuple[Sizes, Sizes]:
        """The places of the listed sizes that have more tokens than all before, and their |V|."""
        totals = np.array(self.totals, dtype=np.int64)
        most = np.maximum.accumulate(totals)
        chosen = np.flatnonzero(np.append(True, most[1:] > most[:-1]))
        return chosen, totals[chosen]

    def point(self, size: int, value: float) -> Point:
        """Give a point of a curve, its size written as the listed ones are."""
        before = "".join(self.listed[0].size.rpartition(":")[:2])
        return Point(f"{before}{size}", float(value))


def listed_series(values: Iterable[Value]) -> list[Series]:
    """Group values into series: those with a direction and two sizes or more.

    Values are taken with the 12 digits that they are written with, so that a run and what is read
    from its folder agree.
    """
    grouped: dict[Key, dict[str, tuple[Point, int]]] = {}
    direction: dict[Key, str] = {}
    for key, better, size, value, total in values:
        if better != "neither" and size:
            # Of a system cut both in context and alone, the first stands.
            grouped.setdefault(key, {}).setdefault(size, (Point(size, float(cell(value))), total))
            direction[key] = better
    found = []
    for key, by_size in grouped.items():
        if len(by_size) > 1:
            ordered = (by_size[size] for size in sorted(by_size, key=number))
            listed, totals = zip(*ordered, strict=True)
            found.append(Series(key, direction[key], listed, totals))
    return found


def number(size: str) -> int:
    """Give the number in a size as the results show it: 1000 for `1000` and `merges:1000`."""
    return int(size.rpartition(":")[2])


def changes_of(
    written: Mapping[Key, Sequence[tuple[str, float | None]]], series: Iterable[Series]
) -> dict[Key, Changes]:
    """Give the curves that series have, from the sizes and values that curves.csv holds."""
    return {
        one.key: Changes(
            np.array([number(size) for size, _ in points], dtype=np.int64),
            np.array([value for _, value in points], dtype=np.float64),
        )
        for one in series
        if (points := written.get(one.key))
    }


def every_size(curve: Changes) -> tuple[Sizes, Floats]:
    """Give a curve with one point a size, from the first size at which it is defined."""
    end = curve.sizes[-1] + 1
    sizes = np.arange(curve.sizes[0], end)
    values = np.repeat(curve.values, np.diff(np.append(curve.sizes, end)))
    defined = np.flatnonzero(np.isfinite(values))
    first = defined[0] if len(defined) else len(values)
    return sizes[first:], values[first:]
