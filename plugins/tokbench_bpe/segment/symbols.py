"""Symbols as numbers, as the segmenters meet them.

A token's number is its id. Further symbols, which merges may pass through, have the numbers after
that; the number after the last stands for every unknown letter.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from tokbench.api import BOW, EOW, Vocabulary, byte_length
from tokbench_bpe.learn.spelling import FIRST_LAST, EdgeNumbers

NO_SYMBOL = -1
"""Stands where there is no symbol at all."""


@dataclass(frozen=True)
class SymbolTable:
    """The numbers of a vocabulary's tokens and of other symbols.

    `births` tells for each token after how many learned items it is in the vocabulary.
    """

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
        """The births of the vocabulary's tokens, as the kernels take them."""
        return array("q", self.vocabulary.births)

    @cached_property
    def letters(self) -> "Letters":
        """The numbers of all letters that symbols hold."""
        marks, numbers = self.vocabulary.marks, self.numbers

        def number(letter: str, first: bool, last: bool) -> int:
            return numbers.get(marks.form(letter, first, last), self.unknown)

        places: dict[str, EdgeNumbers] = {}
        for letter in sorted(set().union(*numbers)):
            inside, first, last, only = (number(letter, *place) for place in FIRST_LAST)
            places[letter] = inside, first, last, only
        begin, end = (
            numbers.get(mark, self.unknown) if mark in marks.symbols else NO_SYMBOL
            for mark in (BOW, EOW)
        )
        return Letters(places, begin, end, self.unknown)


@dataclass(frozen=True)
class Letters:
    """The numbers of letters by their place in a word, and `unknown`, that of all others.

    `begin` and `end` are the numbers of the marks that stand as symbols of their own before and
    after each word, NO_SYMBOL where there is none.
    """

    places: Mapping[str, EdgeNumbers]
    begin: int
    end: int
    unknown: int

    @cached_property
    def by_place(self) -> Sequence[Mapping[str, int]]:
        """The number of each letter inside a word, as its first, its last and its only letter."""
        return [
            {letter: places[place] for letter, places in self.places.items()}
            for place in range(len(FIRST_LAST))
        ]

    def spell(self, word: str) -> list[int]:
        """Return the symbols of a word."""
        inside, first, last, only = self.by_place
        unknown = self.unknown
        symbols = [inside.get(letter, unknown) for letter in word]
        if len(word) == 1:
            symbols[0] = only.get(word, unknown)
        else:
            symbols[0] = first.get(word[0], unknown)
            symbols[-1] = last.get(word[-1], unknown)
        if self.begin != NO_SYMBOL:
            symbols.insert(0, self.begin)
        if self.end != NO_SYMBOL:
            symbols.append(self.end)
        return symbols

    def measure(self, word: str) -> list[int]:
        """Return the UTF-8 byte at which each symbol of a word ends."""
        ends = list(byte_ends(word))
        if self.begin != NO_SYMBOL:
            ends.insert(0, 0)
        if self.end != NO_SYMBOL:
            ends.append(ends[-1])
        return ends

    @cached_property
    def columns(self) -> "tuple[array[int], array[int], int, int, int]":
        """The same as flat arrays, as the kernels take it."""
        codes = array("q", map(ord, self.places))
        forms = array("q", chain.from_iterable(self.places.values()))
        return codes, forms, self.begin, self.end, self.unknown


def byte_ends(word: str) -> Iterator[int]:
    """Return the UTF-8 byte at which each letter of a word ends."""
    return accumulate([1] * len(word) if word.isascii() else map(byte_length, word))
