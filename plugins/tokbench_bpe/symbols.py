"""Symbols as numbers, as the segmenters meet them, and the bytes at which they end.

A token's number is its id. Further symbols, which merges may pass through, have the numbers after
that; the number after the last stands for every unknown letter.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from tokbench.api import Marks, Vocabulary
from tokbench.api.text import BOW, EOW, byte_length
from tokbench_bpe.alphabet import EdgeNumbers, edge_numbers

NO_SYMBOL = -1
"""The number of a mark that words do not have."""


@dataclass(frozen=True)
class SymbolTable:
    """The numbers of a vocabulary's tokens and of other symbols."""

    vocabulary: Vocabulary
    others: Iterable[str] = ()

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each symbol."""
        numbers = dict(self.vocabulary.ids)
        others = sorted(set(self.others).difference(numbers))
        numbers.update(zip(others, range(len(numbers), len(numbers) + len(others)), strict=True))
        return numbers

    @property
    def unknown(self) -> int:
        """The number of every letter that has none."""
        return len(self.numbers)

    @cached_property
    def births(self) -> "array[int]":
        """After how many learned items each of the vocabulary's tokens is in it."""
        return array("q", self.vocabulary.births)

    @cached_property
    def letters(self) -> Mapping[str, EdgeNumbers]:
        """The numbers of all letters that symbols hold, by their place in a word."""
        marks, numbers = self.vocabulary.marks, self.numbers
        return {
            letter: edge_numbers(letter, marks, numbers, self.unknown)
            for letter in sorted(set().union(*numbers))
        }

    @cached_property
    def edges(self) -> tuple[int, int]:
        """The numbers of the marks that stand as symbols before and after each word.

        NO_SYMBOL if the words have no such mark.
        """
        symbols = self.vocabulary.marks.symbols
        begin, end = (
            self.numbers.get(mark, self.unknown) if mark in symbols else NO_SYMBOL
            for mark in (BOW, EOW)
        )
        return begin, end

    @cached_property
    def late(self) -> Mapping[int, int]:
        """The births of letters and marks that are no token before so many learned items."""
        births = self.births
        spelled = {*self.edges, *chain.from_iterable(self.letters.values())}
        tokens = (symbol for symbol in spelled if 0 <= symbol < len(births))
        return {token: births[token] for token in tokens if births[token]}

    @cached_property
    def columns(self) -> "tuple[array[int], array[int], int, int, int]":
        """The letters as flat arrays, the edges, and what is unknown, as the kernels take them."""
        codes = array("q", map(ord, self.letters))
        forms = array("q", chain.from_iterable(self.letters.values()))
        return codes, forms, *self.edges, self.unknown


def byte_ends(word: str, marks: Marks) -> list[int]:
    """Return the UTF-8 byte at which each symbol of a word ends."""
    ends = list(accumulate([1] * len(word) if word.isascii() else map(byte_length, word)))
    if BOW in marks.symbols:
        ends.insert(0, 0)
    if EOW in marks.symbols:
        ends.append(ends[-1])
    return ends
