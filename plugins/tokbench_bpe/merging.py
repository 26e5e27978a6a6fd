"""Merging words by rank, and every state that each passes through.

Whatever the order of the ranks, the lowest is merged first. So when a rank is about to be merged
that is above all before, of which h is the highest, the word stands as every vocabulary of h + 1
to `rank` learned items leaves it: what is still to come needs more. One replay with all merges
gives the states for all of them.
"""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise
from types import ModuleType
from typing import TYPE_CHECKING

from tokbench.api import Vocabulary
from tokbench_bpe.states import State, by_birth, cut_in_threads, lay_out
from tokbench_bpe.symbols import NO_SYMBOL, SymbolTable, byte_ends

if TYPE_CHECKING:
    from tokbench.api.arrays import Timeline

Pair = tuple[str, str]

Find = Callable[[Pair, int], int | None]
"""Gives the rank at which a pair waits once another rank is done, -1 at the start."""

GONE = ""


@dataclass(frozen=True)
class Merges:
    """The merges of a vocabulary: `pairs` by rank, their `products`, and `ranks`, rising, by pair.

    Learned items that do not join two parts are no merges: their pair is None.
    """

    vocabulary: Vocabulary

    @cached_property
    def pairs(self) -> Sequence[Pair | None]:
        """The two parts of each learned item, None for other items; its position is its rank."""
        return [
            (item.parts[0], item.parts[1]) if len(item.parts) == 2 and all(item.parts) else None
            for item in self.vocabulary.learned
        ]

    @property
    def products(self) -> Sequence[str]:
        """The token that each learned item builds."""
        return self.vocabulary.products

    @cached_property
    def ranks(self) -> dict[Pair, list[int]]:
        """The ranks of each pair; it may stand several times."""
        ranks: dict[Pair, list[int]] = {}
        for rank, pair in enumerate(self.pairs):
            if pair is not None:
                ranks.setdefault(pair, []).append(rank)
        return ranks

    def lowest(self, pair: Pair, _: int) -> int | None:
        """Return the lowest rank of a pair, or None if it is no merge."""
        ranks = self.ranks.get(pair)
        return ranks[0] if ranks else None

    def next(self, pair: Pair, after: int) -> int | None:
        """Return the lowest rank of a pair that is above `after`, or None."""
        ranks = self.ranks.get(pair, [])
        position = bisect_right(ranks, after)
        return ranks[position] if position < len(ranks) else None

    def count(self, rank: int) -> int | None:
        """Return how often a pair was counted when it was learned, if that is known."""
        return self.vocabulary.learned[rank].count

    @cached_property
    def symbols(self) -> SymbolTable:
        """The numbers of tokens, and of parts and products that are no tokens."""
        parts = chain.from_iterable(pair for pair in self.pairs if pair is not None)
        return SymbolTable(self.vocabulary, (*parts, *self.products))

    @cached_property
    def columns(self) -> "tuple[array[int], array[int], array[int]]":
        """The left parts, right parts and products by rank, as the kernel takes them.

        The parts of an item that is no merge are NO_SYMBOL.
        """
        numbers, pairs = self.symbols.numbers, self.pairs
        return (
            array("q", [NO_SYMBOL if pair is None else numbers[pair[0]] for pair in pairs]),
            array("q", [NO_SYMBOL if pair is None else numbers[pair[1]] for pair in pairs]),
            array("q", map(numbers.__getitem__, self.products)),
        )


def apply(word: str, merges: Merges, find: Find) -> list[str]:
    """Merge, from left to right, all places of the pair with the lowest rank; and so on."""
    symbols = merges.vocabulary.marks.spell(word)
    for _ in merging(symbols, [0] * len(symbols), merges, find):
        pass
    return [symbol for symbol in symbols if symbol != GONE]


def merging(symbols: list[str], ends: list[int], merges: Merges, find: Find) -> Iterator[int]:
    """Merge symbols in place, with where they end; yield each rank before it is merged.

    A symbol that the one before it took in is GONE. The time grows with n log n.
    """
    size = len(symbols)
    before, after = list(range(-1, size - 1)), list(range(1, size + 1))
    ranked = ((find(pair, -1), place) for place, pair in enumerate(pairwise(symbols)))
    waiting = [(rank, place) for rank, place in ranked if rank is not None]
    heapify(waiting)
    while waiting:
        rank = waiting[0][0]
        pair = merges.pairs[rank]
        changed: list[int] = []
        while waiting and waiting[0][0] == rank:
            _, place = heappop(waiting)
            taken = after[place]
            if taken < size and (symbols[place], symbols[taken]) == pair:
                if not changed:
                    yield rank
                symbols[place], symbols[taken] = merges.products[rank], GONE
                ends[place] = ends[taken]
                after[place] = after[taken]
                if after[place] < size:
                    before[after[place]] = place
                changed.append(place)
        # A rank is merged everywhere before its products are looked at.
        for place in changed:
            for start in (before[place], place):
                if start >= 0 and after[start] < size:
                    born = find((symbols[start], symbols[after[start]]), rank)
                    if born is not None:
                        heappush(waiting, (born, start))


def replay(word: str, merges: Merges, since: int, find: Find) -> Iterator[State]:
    """Return the states of a word from `since` learned items on."""
    marks, numbers = merges.vocabulary.marks, merges.symbols.numbers
    unknown, learned = merges.symbols.unknown, len(merges.products)
    symbols, ends = marks.spell(word), byte_ends(word, marks)

    def state(until: int) -> State:
        standing = [place for place, symbol in enumerate(symbols) if symbol != GONE]
        ids = [numbers.get(symbols[place], unknown) for place in standing]
        return until, ids, [ends[place] for place in standing]

    for rank in merging(symbols, ends, merges, find):
        if rank >= since:
            since = rank + 1
            yield state(since)
    if since <= learned:
        yield state(learned + 1)


def merge_all(
    words: Sequence[str], merges: Merges, since: int, in_order: bool, kernel: ModuleType | None
) -> "Timeline":
    """Return the states of words that merges cut; `in_order`, each rank once, in order.

    Otherwise a rank may be merged after a higher one.
    """
    symbols, tokens = merges.symbols, len(merges.vocabulary.tokens)
    # Letters that are built as tokens later are too odd for the kernel to know.
    if kernel is not None and not symbols.late:
        how = since, tokens, symbols.columns, merges.columns, in_order
        return cut_in_threads(lambda text: kernel.merge(text, *how), words, len(merges.products))
    since, find = max(since, 0), merges.next if in_order else merges.lowest
    states = (replay(word, merges, since, find) for word in words)
    if symbols.late:
        states = (by_birth(word, symbols.late, since, symbols.unknown) for word in states)
    return lay_out(states, since, tokens)
