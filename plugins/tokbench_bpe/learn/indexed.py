"""The fast way to learn merges in plain Python: pairs are counted once and then kept up to date.

No two merges give the same symbol: where a product could be built in another way, the same merges
have already been made inside it. Hence a pair is born in one merge, in all its places, and from
then on only loses places. Its count is kept up to date; its places are looked through only when it
is merged (`cells.CellRow`).

Pairs wait in one list for each count. As counts only fall, a pair may wait too high, never too
low: it moves down when its list's turn comes, so most merges touch no list at all. Only the pairs
of the highest count are put in the order of the tie rule, in a heap.
"""

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from itertools import islice

from tokbench.api import Learned, Marks, Size
from tokbench_bpe.learn.alphabet import beside
from tokbench_bpe.learn.cells import CellRow, Pair
from tokbench_bpe.learn.spelling import SymbolNumbers
from tokbench_bpe.learn.ties import Ties, spelled_order


def learn(
    words: Mapping[str, int],
    spelling: SymbolNumbers,
    marks: Marks,
    ties: Ties,
    minimum: int,
    size: Size,
) -> tuple[Learned, ...]:
    """Merge the most frequent pair until the size is reached or no pair reaches the `minimum`."""
    most = min(beside(spelling.alphabet, size), sys.maxsize)
    with _no_search_for_cycles():
        return tuple(islice(merges(words, spelling, marks, ties, minimum), most))


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Spare the collector the many lists that are made here: no two refer to each other."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def merges(
    words: Mapping[str, int], spelling: SymbolNumbers, marks: Marks, ties: Ties, minimum: int
) -> Iterator[Learned]:
    """Merge the most frequent pair until none reaches the `minimum` count."""
    row = CellRow(words, spelling)
    names = ["", *spelling.alphabet]
    spelled = spelled_order(names, ties, marks)

    def entry(pair: Pair) -> tuple[object, Pair]:
        order = row.first_place(pair) if ties == "first" else spelled(row.symbols(pair))
        return order, pair

    waiting = Waiting(row.counts, minimum)
    waiting.add(row.counts)
    while count := waiting.highest():
        equals = [entry(pair) for pair in waiting.take(count)]
        heapify(equals)
        while equals:
            lowest = heappop(equals)
            pair = lowest[1]
            if row.counts[pair] < count:
                waiting.add([pair])
            elif (fresh := entry(pair)) != lowest:
                # Its first place was merged away, in a word that counts nothing.
                heappush(equals, fresh)
            else:
                left, right = row.symbols(pair)
                parts = names[left], names[right]
                names.append(Marks.join(parts))
                waiting.add(row.merge(pair))
                for born in waiting.take(count):
                    heappush(equals, entry(born))
                yield Learned(parts, count)


class Waiting:
    """Pairs in lists by their count, or by one that they had before; none below the minimum."""

    def __init__(self, counts: Mapping[Pair, int], minimum: int) -> None:
        self._counts = counts
        self._minimum = minimum
        self._lists: dict[int, list[Pair]] = {}
        self._heights: list[int] = []

    def add(self, pairs: Iterable[Pair]) -> None:
        """Let pairs wait in the lists of their present counts."""
        counts, lists, minimum = self._counts, self._lists, self._minimum
        for pair in pairs:
            count = counts[pair]
            if count in lists:
                lists[count].append(pair)
            elif count >= minimum:
                lists[count] = [pair]
                heappush(self._heights, -count)

    def highest(self) -> int:
        """Return the highest count at which pairs wait, 0 for none."""
        return -self._heights[0] if self._heights else 0

    def take(self, count: int) -> list[Pair]:
        """Take out the pairs that have this count; those that lost places move down."""
        if count not in self._lists:
            return []
        heappop(self._heights)
        counts, pairs = self._counts, self._lists.pop(count)
        self.add(pair for pair in pairs if counts[pair] < count)
        return [pair for pair in pairs if counts[pair] == count]
