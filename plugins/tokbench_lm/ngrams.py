"""The n-grams of event streams: counted order by order, and found again in other streams.

An n-gram is known by its context (the n-gram of one event less, by its number) and its last event,
so each order is one sorted array of numbers, made from the order below it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Lines:
    """The events of lines: line `i` has `events[row[i]:row[i + 1]]`, numbers below `begin`."""

    events: Ints
    row: Ints
    begin: int

    def __len__(self) -> int:
        """Count the lines."""
        return len(self.row) - 1

    def where(self, mask: Flags) -> "Lines":
        """Return some of the lines."""
        size = np.diff(self.row)
        events = self.events[np.repeat(mask, size)]
        return Lines(events, np.append(0, np.cumsum(size[mask])), self.begin)


@dataclass(frozen=True, eq=False)
class Stream:
    """The events of lines, one after the other, each line begun by `begin` and ended by its last.

    `events` are numbers from 0 to `begin`; `depth` is the place of each event in its line, 0 for
    `begin` itself.
    """

    events: NDArray[np.int32]
    depth: NDArray[np.int32]
    begin: int

    @classmethod
    def of(cls, lines: Lines) -> "Stream":
        """Put `begin` before each line."""
        size = np.diff(lines.row) + 1
        first = np.cumsum(size) - size
        depth = np.arange(int(size.sum())) - np.repeat(first, size)
        events = np.full(len(depth), lines.begin, dtype=np.int32)
        events[depth > 0] = lines.events
        return cls(events, depth.astype(np.int32), lines.begin)


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The n-grams of one order, in rising order of their keys: context * (events + 1) + event.

    `raw` is how often each occurs; `begins` whether it begins with the begin of a line; `place` is
    a place of the counted stream at which it ends.
    """

    n: int
    keys: Ints
    raw: Ints
    begins: Flags
    place: Ints
    width: int

    @property
    def context(self) -> Ints:
        """The number of each n-gram's context among the n-grams of the order below."""
        return self.keys // self.width

    def find(self, keys: Ints) -> Ints:
        """Return the number of each key, -1 where it has none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, at, -1)


def orders(stream: Stream) -> Iterator[tuple[Ngrams, NDArray[np.int32]]]:
    """Yield the n-grams of a stream of order 1, 2, ..., and which of them ends at each place.

    That is a number, -1 at places that are nearer to the beginning of their line.
    """
    width = stream.begin + 1
    numbers = np.zeros(len(stream.events), dtype=np.int32)
    n = 0
    while True:
        n += 1
        places = np.flatnonzero(stream.depth >= n - 1)
        keys = stream.events[places].astype(np.int64)
        if n > 1:
            keys += numbers[places - 1].astype(np.int64) * width
        by_key = np.argsort(keys)
        keys = keys[by_key]
        fresh = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        first = np.flatnonzero(fresh)
        place = places[by_key[first]]
        numbers = np.full(len(stream.events), -1, dtype=np.int32)
        numbers[places[by_key]] = np.cumsum(fresh, dtype=np.int32) - 1
        del places, by_key, fresh  # the largest arrays of all
        raw = np.append(first[1:], len(keys)) - first
        if n == 1:
            raw[keys[first] == stream.begin] = 0  # it is no event, only a context
        yield Ngrams(n, keys[first], raw, stream.depth[place] == n - 1, place, width), numbers
