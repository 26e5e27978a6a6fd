"""Counted words, and the components that split texts, read gold files and change words."""

import operator
from abc import abstractmethod
from array import array
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from itertools import accumulate, compress
from pickle import PickleBuffer
from random import Random
from typing import Any, ClassVar, NamedTuple, SupportsIndex

from tokbench.api.component import Component


class CountedWords(Mapping[str, int]):
    """Distinct words with their counts, in the order in which they first occur.

    It reads like a `dict`, but a word is no Python object until it is asked for: `utf8` holds the
    words' UTF-8 bytes (`surrogatepass`) one after the other, `ends` the byte at which each word
    ends, and `counts` how often each occurs. Both are read-only and of type `q` (64 bits).
    """

    def __init__(self, utf8: bytes, ends: "array[int]", counts: "array[int]") -> None:
        self.utf8 = utf8
        self.ends = memoryview(ends).cast("B").cast("q").toreadonly()
        self.counts = memoryview(counts).cast("B").cast("q").toreadonly()

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickle the columns, if possible as buffers that processes can share."""
        columns = self.ends, self.counts
        if operator.index(protocol) < 5:
            return CountedWords, (self.utf8, *(array("q", column) for column in columns))
        return CountedWords, (self.utf8, *map(PickleBuffer, columns))

    @classmethod
    def of(cls, words: Mapping[str, int]) -> "CountedWords":
        """Return counted words as columns; a CountedWords is returned as it is."""
        if isinstance(words, cls):
            return words
        encoded = (word.encode("utf-8", "surrogatepass") for word in words)
        return cls._laid_out(encoded, words.values())

    @classmethod
    def _laid_out(cls, encoded: Iterable[bytes], counts: Iterable[int]) -> "CountedWords":
        listed = list(encoded)
        return cls(b"".join(listed), array("q", accumulate(map(len, listed))), array("q", counts))

    def __len__(self) -> int:
        """Count the distinct words."""
        return len(self.ends)

    def __iter__(self) -> Iterator[str]:
        """Yield the words in order."""
        return (utf8.decode("utf-8", "surrogatepass") for utf8 in self._encoded())

    def _encoded(self) -> Iterator[bytes]:
        utf8, begin = self.utf8, 0
        for end in self.ends:
            yield utf8[begin:end]
            begin = end

    def __getitem__(self, word: str) -> int:
        """Return the count of a word; raise KeyError if it does not occur."""
        return self.counts[self._numbers[word]]

    def among(self, words: Iterable[str]) -> dict[str, int]:
        """Return the counts of some words, without those that do not occur."""
        wanted = {word.encode("utf-8", "surrogatepass"): word for word in words}
        pairs = zip(self._encoded(), self.counts, strict=True)
        return {wanted[utf8]: count for utf8, count in pairs if utf8 in wanted}

    def frequent(self, least: int) -> "CountedWords":
        """Return the words that occur at least `least` times."""
        is_frequent = [count >= least for count in self.counts]
        words = compress(self._encoded(), is_frequent)
        return self._laid_out(words, compress(self.counts, is_frequent))

    def items(self) -> ItemsView[str, int]:
        """Return the pairs of word and count."""
        return _Items(self)

    def values(self) -> ValuesView[int]:
        """Return the counts, in the order of the words."""
        return _Values(self)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self)}


class _Items(ItemsView[str, int]):
    """The pairs of word and count, without a look-up for each."""

    _mapping: CountedWords

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return zip(self._mapping, self._mapping.counts, strict=True)


class _Values(ValuesView[int]):
    """The counts, without a look-up for each."""

    _mapping: CountedWords

    def __iter__(self) -> Iterator[int]:
        return iter(self._mapping.counts)


class Splitter(Component):
    """Finds the words of a text. Define `split`.

    A word is the same word with and without the characters `ignored`, such as soft hyphens, so it
    is counted and segmented without them. `version` counts up when a splitter begins to find other
    words: it is part of signatures and of files of counts.
    """

    ignored: ClassVar[str] = ""

    @abstractmethod
    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return the (start, end) of each word in code points, in order and without overlap."""


class GoldEntry(NamedTuple):
    """A word with its gold segmentations, the best one first, each as its morphs in order.

    Morphs may join to the word, or be canonical forms, such as `funny` and `er` for *funnier*.
    """

    word: str
    alternatives: tuple[tuple[str, ...], ...]
    category: str = ""


class GoldReader(Component):
    """Reads the lines of a gold file. Define `read`.

    Words hold no white space, but U+0020 where `spaces` is true.
    """

    spaces: ClassVar[bool] = False
    without_boundaries: ClassVar[str] = ""
    """The error of a file in which no word has a boundary; "" where there may be such files."""

    @abstractmethod
    def read(self, line: str) -> GoldEntry | None:
        """Return the entry of a line (without its line end), or None for a line without one.

        Blank lines are skipped beforehand. Raise ValueError, saying what is wrong with the line.
        """


class PairGenerator(Component):
    """Changes words, for example by typing errors. Define `change`."""

    @abstractmethod
    def change(self, word: str, random: Random) -> str | None:
        """Return a changed word, or None for a word that cannot be changed at all.

        The result differs from `word`, is not empty, and has no white space and no mark characters.
        Draw all choices from `random`, so that the same seed returns the same word.
        """
