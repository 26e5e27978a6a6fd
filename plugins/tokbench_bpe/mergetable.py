"""The merges of a vocabulary in numbers, for merging many words."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from tokbench.api import Vocabulary
from tokbench_bpe.symbols import NO_SYMBOL, Symbols


@dataclass(frozen=True)
class MergeTable:
    """The parts and the product of each learned item, by rank, as symbol numbers.

    The parts of an item that does not join two, and so is no merge, are NO_SYMBOL.
    """

    symbols: Symbols
    lefts: "array[int]"
    rights: "array[int]"
    products: "array[int]"

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "MergeTable":
        """Give numbers to the parts and products of all learned items."""
        pairs = [
            item.parts if len(item.parts) == 2 and all(item.parts) else None
            for item in vocabulary.learned
        ]
        parts = chain.from_iterable(pair for pair in pairs if pair is not None)
        symbols = Symbols(vocabulary, (*parts, *vocabulary.products))
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
        """What the left symbol of a packed pair is multiplied by."""
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
