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

Value = tuple[Key, str, str, float]
"""A key, the direction (`higher`, `lower` or `neither`), a listed size and the value there."""


class Point(NamedTuple):
    """A size as the results show it, `1000` or `merges:1000`, and the value there."""

    size: str
    value: float


@dataclass(frozen=True, eq=False)
class Changes:
    """A curve by its changes: `values[i]` holds from `sizes[i]` up to the next, NaN undefined.

    The last value holds up to the size `last`.
    """

    sizes: Sizes
    values: Floats
    last: int


@dataclass(frozen=True, eq=False)
class Series:
    """One metric of one system on one corpus, by size.

    `listed` stands in the order of sizes, undefined values left out. `not_worse` is the smallest
    size that is not significantly worse than the best, where it is known.
    """

    key: Key
    better: str
    listed: tuple[Point, ...]
    curve: Changes | None = None
    not_worse: str | None = None

    @cached_property
    def points(self) -> tuple[Sizes, Floats]:
        """The numbers of the listed sizes, and the values there."""
        sizes = np.array([number(point.size) for point in self.listed], dtype=np.int64)
        return sizes, np.array([point.value for point in self.listed], dtype=np.float64)

    def point(self, size: int, value: float) -> Point:
        """Give a point of a curve, its size written as the listed ones are."""
        before = "".join(self.listed[0].size.rpartition(":")[:2])
        return Point(f"{before}{size}", float(value))


def listed_series(values: Iterable[Value]) -> list[Series]:
    """Group values into series: those with a direction and two sizes or more.

    Values are taken with the 12 digits that they are written with, so that a run and what is read
    from its folder agree.
    """
    grouped: dict[Key, dict[str, float]] = {}
    direction: dict[Key, str] = {}
    for key, better, size, value in values:
        if better != "neither" and size:
            grouped.setdefault(key, {})[size] = float(cell(value))
            direction[key] = better
    return [
        Series(key, direction[key], tuple(Point(size, by_size[size]) for size in sizes))
        for key, by_size in grouped.items()
        if len(sizes := sorted(by_size, key=number)) > 1
    ]


def number(size: str) -> int:
    """Give the number in a size as the results show it: 1000 for `1000` and `merges:1000`."""
    return int(size.rpartition(":")[2])


def changes_of(
    written: Mapping[Key, Sequence[tuple[str, float | None]]], series: Iterable[Series]
) -> dict[Key, Changes]:
    """Give the curves that series have, from the sizes and values that curves.csv holds.

    Where a curve ends is not written: all of a system go on to the largest size that is known.
    """
    known = {one.key: number(one.listed[-1].size) for one in series}
    curves = {
        key: ([number(size) for size, _ in points], [value for _, value in points])
        for key, points in written.items()
        if key in known and points
    }
    last: dict[str, int] = {}
    for key in known:
        ends = (known[key], *curves[key][0][-1:]) if key in curves else (known[key],)
        last[key[0]] = max(last.get(key[0], 0), *ends)
    return {
        key: Changes(np.array(sizes), np.array(values, dtype=np.float64), last[key[0]])
        for key, (sizes, values) in curves.items()
    }


def every_size(curve: Changes) -> tuple[Sizes, Floats]:
    """Give a curve with one point a size, from the first size at which it is defined."""
    sizes = np.arange(curve.sizes[0], curve.last + 1)
    values = np.repeat(curve.values, np.diff(np.append(curve.sizes, curve.last + 1)))
    defined = np.flatnonzero(np.isfinite(values))
    first = defined[0] if len(defined) else len(values)
    return sizes[first:], values[first:]
