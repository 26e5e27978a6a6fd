"""The merges of a vocabulary by rank: as texts for one word, in numbers for many."""

from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from tokbench.api import Vocabulary
from tokbench_bpe.segment.symbols import NO_SYMBOL, SymbolTable

Pair = tuple[str, str]


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
        """The token that each learned item builds."""
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
    def table(self) -> "MergeTable":
        """The same in numbers, for many words."""
        return MergeTable.of(self.vocabulary)

    def lowest(self, pair: Pair, _: int) -> int | None:
        """Return the lowest rank of a pair, or None if it is no merge."""
        ranks = self.ranks.get(pair)
        return ranks[0] if ranks else None

    def count(self, rank: int) -> int | None:
        """Return how often a pair was counted when it was learned, if that is known."""
        return self.vocabulary.learned[rank].count

    def next(self, pair: Pair, after: int) -> int | None:
        """Return the lowest rank of a pair that is above `after`, or None."""
        ranks = self.ranks.get(pair, [])
        position = bisect_right(ranks, after)
        return ranks[position] if position < len(ranks) else None


@dataclass(frozen=True)
class MergeTable:
    """The parts and the product of each learned item, by rank, as symbol numbers.

    The parts of an item that does not join two, and so is no merge, are NO_SYMBOL.
    """

    symbols: SymbolTable
    lefts: "array[int]"
    rights: "array[int]"
    products: "array[int]"

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "MergeTable":
        """Assign numbers to the parts and products of all learned items."""
        pairs = [
            item.parts if len(item.parts) == 2 and all(item.parts) else None
            for item in vocabulary.learned
        ]
        parts = chain.from_iterable(pair for pair in pairs if pair is not None)
        symbols = SymbolTable(vocabulary, (*parts, *vocabulary.products))
        number = symbols.numbers
        return cls(
            symbols,
            array("q", [NO_SYMBOL if pair is None else number[pair[0]] for pair in pairs]),
            array("q", [NO_SYMBOL if pair is None else number[pair[1]] for pair in pairs]),
            array("q", map(number.__getitem__, vocabulary.products)),
        )

    @cached_property
    def none(self) -> int:
        """The rank of a pair that is no merge: above all ranks there are."""
        return len(self.products)

    @cached_property
    def base(self) -> int:
        """The factor of the left symbol in a packed pair."""
        return self.symbols.unknown + 1

    @cached_property
    def ranks(self) -> Mapping[int, int]:
        """The lowest rank of each packed pair."""
        base, last = self.base, self.none - 1
        packed = [
            left * base + right
            for left, right in zip(reversed(self.lefts), reversed(self.rights), strict=True)
        ]
        ranks = dict(zip(packed, range(last, -1, -1), strict=True))
        ranks.pop(NO_SYMBOL * base + NO_SYMBOL, None)
        return ranks

    @cached_property
    def later(self) -> Sequence[int]:
        """For each rank, the next of the same pair, or `none`."""
        later = [self.none] * self.none
        seen: dict[tuple[int, int], int] = {}
        if len(self.ranks) + self.lefts.count(NO_SYMBOL) == self.none:
            return later
        for rank in range(self.none - 1, -1, -1):
            pair = self.lefts[rank], self.rights[rank]
            later[rank] = seen.get(pair, self.none)
            seen[pair] = rank
        return later

    @cached_property
    def late(self) -> Mapping[int, int]:
        """The symbols of letters that are a token only after so many learned items."""
        letters, births = self.symbols.letters, self.symbols.births
        spelled = {letters.begin, letters.end, *chain.from_iterable(letters.places.values())}
        return {
            symbol: births[symbol]
            for symbol in spelled
            if 0 <= symbol < len(births) and births[symbol]
        }
