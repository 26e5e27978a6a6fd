"""Words that are cut in the same way, kept once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from tokbench.api.segmentation import Ints, spans

Hashes = NDArray[np.uint64]

_ODD = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, whose multiples are spread evenly (Knuth 1998, section 6.4)."""


@dataclass(frozen=True, eq=False)
class Cuts:
    """Words with their tokens: cut `i` is of word `number[i]`, with the rows `row[i]:row[i + 1]`.

    The other columns are those of a segmentation in context.
    """

    number: Ints
    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints
    part: NDArray[np.int8]

    def take(self, chosen: Ints) -> "Cuts":
        """Give some of the cuts alone."""
        many = np.diff(self.row)[chosen]
        rows = spans(self.row[chosen], many)
        return Cuts(
            self.number[chosen],
            np.append(0, np.cumsum(many)),
            self.ids[rows],
            self.starts[rows],
            self.ends[rows],
            self.part[rows],
        )


def joined(parts: Sequence[Cuts]) -> Cuts:
    """Lay cuts one after the other."""
    first = np.cumsum([0, *(len(part.ids) for part in parts)])
    rows = [part.row[1:] + begin for begin, part in zip(first, parts, strict=False)]
    return Cuts(
        np.concatenate([part.number for part in parts]),
        np.concatenate([[0], *rows]),
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.starts for part in parts]),
        np.concatenate([part.ends for part in parts]),
        np.concatenate([part.part for part in parts]),
    )


def distinct(cuts: Cuts) -> tuple[Cuts, Ints]:
    """Give the distinct cuts, by word and then as they first occur, and the place of each cut."""
    for seed in count():
        _, first, place = np.unique(_hashes(cuts, seed), return_index=True, return_inverse=True)
        if _alike(cuts, first[place]):
            break
    order = np.lexsort((first, cuts.number[first]))
    renumbered = np.empty(len(order), dtype=np.int64)
    renumbered[order] = np.arange(len(order))
    return cuts.take(first[order]), renumbered[place]


def _hashes(cuts: Cuts, seed: int) -> Hashes:
    """Give a number for each cut, which different cuts seldom share."""
    nth = np.arange(len(cuts.ids)) - np.repeat(cuts.row[:-1], np.diff(cuts.row))
    mixed = _mixed(np.full(len(nth), seed, dtype=np.uint64), nth)
    for column in (cuts.ids, cuts.starts, cuts.ends, cuts.part):
        mixed = _mixed(mixed, column)
    sums = np.append(np.uint64(0), np.cumsum(mixed, dtype=np.uint64))
    return _mixed(sums[cuts.row[1:]] - sums[cuts.row[:-1]], cuts.number)


def _mixed(hashes: Hashes, values: NDArray[np.integer]) -> Hashes:
    mixed = (hashes + values.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD)
    return mixed ^ (mixed >> np.uint64(29))


def _alike(cuts: Cuts, others: Ints) -> bool:
    """Tell whether each cut is the same as the other that stands for it."""
    many = np.diff(cuts.row)
    if (cuts.number != cuts.number[others]).any() or (many != many[others]).any():
        return False
    rows = spans(cuts.row[others], many)
    columns = (cuts.ids, cuts.starts, cuts.ends, cuts.part)
    return all(bool((column == column[rows]).all()) for column in columns)
