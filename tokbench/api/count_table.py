"""Tables of counts, such as how often each line holds each word, kept as the items of each row."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

T = TypeVar("T")

# So many numbers are added up at a time, in place of columns as long as the text.
_AT_A_TIME = 2**18


def read_only(value: T) -> T:
    """Forbid writing into an array, and return it.

    Plugins share the arrays: what one did with them would change the results of the next.
    """
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


@dataclass(frozen=True, eq=False)
class CountTable:
    """How often each row holds each of `width` items: words in lines, or token ids in words.

    Row `i` holds the items `items[ends[i]:ends[i + 1]]`, numbers from 0 to `width - 1`, of which
    one may occur several times. Each counts once, or as often as `weights` says, which has one
    number for each of `items`.
    """

    items: NDArray[Any]
    ends: Ints
    width: int
    weights: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        """Forbid writing into the arrays."""
        for values in vars(self).values():
            read_only(values)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.ends) - 1

    @property
    def counts(self) -> NDArray[Any]:
        """How often each of `items` counts."""
        if self.weights is None:
            return np.broadcast_to(np.int64(1), len(self.items))  # in no memory
        return self.weights

    @property
    def is_whole(self) -> bool:
        """Whether the arrays fit one another: a table that a metric makes may be wrong."""
        items, ends = self.items, self.ends
        kinds = items.dtype.kind + ends.dtype.kind
        if not {*kinds} <= {*"iu"} or (items.ndim, ends.ndim, self.counts.ndim) != (1, 1, 1):
            return False
        steps = np.diff(ends, prepend=0, append=len(items))
        inside = (items >= 0) & (items < self.width)
        return bool((steps >= 0).all() and inside.all() and len(ends) > 0) and (
            ends[0] == 0 and ends[-1] == len(items) == len(self.counts)
        )

    def add_up(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up one number an item to one number a row, or several to several.

        Fractions are added one after the other in the order of `items`.

        >>> CountTable(np.array([0, 1, 1]), np.array([0, 1, 1, 3]), 2).add_up(np.array([5, 7]))
        array([ 5,  0, 14])
        """
        held = () if self.weights is None else (self.weights,)
        kind = np.result_type(values, np.int64, *held)
        sums = np.zeros((len(self), *values.shape[1:]), dtype=kind)
        if not sums.size or not len(self.items):
            return sums
        columns = np.ascontiguousarray(values.reshape(len(values), -1).T, kind)
        for batch, rows, inside in batches(self.ends):
            places = self.items[batch].astype(np.intp)
            row = np.repeat(np.arange(len(inside) - 1), np.diff(inside))
            for column, found in zip(columns, sums.reshape(len(self), -1).T, strict=True):
                taken = column[places]
                if self.weights is not None:
                    taken *= self.weights[batch]
                taken[0] += found[rows.start]  # of a row that begins in the batch before
                if kind == np.float64:
                    # One value after the other, as `reduceat` does not.
                    found[rows] = np.bincount(row, taken, len(inside) - 1)
                else:
                    # Of an empty row `reduceat` would give the next row's item.
                    full = np.flatnonzero(np.diff(inside))
                    found[rows][full] = np.add.reduceat(taken, inside[full])
        return sums

    def totals(self, times: NDArray[Any] | None = None) -> Floats:
        """Add up the rows to one number an item, each row taken once or so many `times`.

        >>> CountTable(np.array([0, 1, 1]), np.array([0, 1, 3]), 2).totals(np.array([3, 1]))
        array([3., 2.])
        """
        sums = np.zeros(self.width)
        for batch, rows, inside in batches(self.ends):
            weights = None if self.weights is None else self.weights[batch]
            if times is not None:
                taken = np.repeat(times[rows], np.diff(inside))
                weights = taken if weights is None else taken * weights
            sums += np.bincount(self.items[batch], weights, self.width)
        return sums

    def toarray(self) -> Floats:
        """Return rows x items, a small table in full."""
        row = np.repeat(np.arange(len(self)), np.diff(self.ends))
        cells = np.bincount(row * self.width + self.items, self.weights, len(self) * self.width)
        return cells.reshape(len(self), self.width).astype(np.float64)

    def where(self, mask: NDArray[np.bool_]) -> "CountTable":
        """Leave out the items that a mask, one flag an item, does not hold; rows and width stay."""
        if mask.all():
            return self
        kept = mask[self.items]
        held = CountTable(self.items, self.ends, self.width).add_up(mask.astype(np.float64))
        ends = np.append(0, np.cumsum(held)).astype(np.int64)
        weights = None if self.weights is None else self.weights[kept]
        return CountTable(self.items[kept], ends, self.width, weights)


def batches(ends: Ints) -> Iterator[tuple[slice, slice, Ints]]:
    """Cut the items of rows into batches of bounded size: (items, rows, ends in the batch).

    Row `i` has the items from `ends[i]` to `ends[i + 1]`. A long row is cut into several batches.

    >>> [(rows, ends.tolist()) for _, rows, ends in batches(np.array([0, 2, 2, 5]))]
    [(slice(0, 3, None), [0, 2, 2, 5])]
    """
    total = int(ends[-1])
    for first in range(0, total, _AT_A_TIME):
        last = min(first + _AT_A_TIME, total)
        row = int(np.searchsorted(ends, first, side="right")) - 1
        stop = int(np.searchsorted(ends, last, side="left"))
        inside = np.clip(ends[row : stop + 1], first, last) - first
        yield slice(first, last), slice(row, stop), inside
