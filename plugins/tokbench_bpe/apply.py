"""Merging one word by a vocabulary's learned items, in time that grows with n log n."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush

from tokbench.api import Vocabulary
from tokbench_bpe.mergetable import MergeTable

GONE = ""

Pair = tuple[str, str]
Find = Callable[[Pair, int], int | None]


@dataclass(frozen=True)
class Merges:
    """The merges of a vocabulary: `pairs` by rank, their `products`, and `ranks`, rising, by pair.

    Learned items that do not join two parts are no merges: `ranks` leaves them out.
    """

    vocabulary: Vocabulary

    @cached_property
    def pairs(self) -> Sequence[tuple[str, ...]]:
        """The parts of each learned item; its position is its rank."""
        return [item.parts for item in self.vocabulary.learned]

    @property
    def products(self) -> Sequence[str]:
        """What each learned item builds."""
        return self.vocabulary.products

    @cached_property
    def ranks(self) -> dict[tuple[str, ...], list[int]]:
        """The ranks of each pair; it may stand several times."""
        ranks: dict[tuple[str, ...], list[int]] = {}
        for rank, parts in enumerate(self.pairs):
            if len(parts) == 2 and all(parts):
                ranks.setdefault(parts, []).append(rank)
        return ranks

    @cached_property
    def table(self) -> MergeTable:
        """The same in numbers, for many words."""
        return MergeTable.of(self.vocabulary)

    def lowest(self, pair: Pair, _: int) -> int | None:
        """Give the lowest rank of a pair, or None if it is no merge."""
        ranks = self.ranks.get(pair)
        return ranks[0] if ranks else None

    def next(self, pair: Pair, after: int) -> int | None:
        """Give the lowest rank of a pair that is above `after`, or None."""
        ranks = self.ranks.get(pair, [])
        position = bisect_right(ranks, after)
        return ranks[position] if position < len(ranks) else None


def apply(word: str, merges: Merges, find: Find) -> list[str]:
    """Merge, from left to right, all places of the pair with the lowest rank; and so on.

    `find(pair, rank)` gives the rank at which a pair waits once `rank` is done, -1 at the start.
    """
    symbols = [GONE, *merges.vocabulary.marks.spell(word), GONE]
    for _ in merging(symbols, merges, find):
        pass
    return [symbol for symbol in symbols if symbol != GONE]


def merging(symbols: list[str], merges: Merges, find: Find) -> Iterator[int]:
    """Merge symbols in place, GONE before and after them; give each rank before it is merged."""
    before = list(range(-1, len(symbols) - 1))
    after = list(range(1, len(symbols) + 1))
    waiting: list[tuple[int, int]] = []

    def wait(places: Iterable[int], rank: int) -> None:
        for place in places:
            found = find((symbols[place], symbols[after[place]]), rank)
            if found is not None:
                heappush(waiting, (found, place))

    # A rank is merged everywhere before its products are looked at.
    wait(range(len(symbols) - 1), -1)
    while waiting:
        rank = waiting[0][0]
        changed: list[int] = []
        while waiting and waiting[0][0] == rank:
            _, place = heappop(waiting)
            gone = after[place]
            if (symbols[place], symbols[gone]) == merges.pairs[rank]:
                if not changed:
                    yield rank
                symbols[place], symbols[gone] = merges.products[rank], GONE
                after[place] = after[gone]
                before[after[gone]] = place
                changed += [before[place], place]
        wait(changed, rank)
