"""Texts as plugins see them: counted words, and what splits, reads and changes words."""

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

    `utf8` holds the words' UTF-8 bytes (`surrogatepass`) one after the other, `ends` the byte at
    which each ends, `counts` how often each occurs; both are of type `q` (64 bits) and cannot be
    changed. It reads like a `dict`, but holds no object for a word until it is asked for.
    """

    def __init__(self, utf8: bytes, ends: "array[int]", counts: "array[int]") -> None:
        self.utf8 = utf8
        self.ends = memoryview(ends).cast("B").cast("q").toreadonly()
        self.counts = memoryview(counts).cast("B").cast("q").toreadonly()

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        """Pickle the columns, as buffers that processes may share where that is possible."""
        columns = self.ends, self.counts
        if operator.index(protocol) < 5:
            return CountedWords, (self.utf8, *(array("q", column) for column in columns))
        return CountedWords, (self.utf8, *map(PickleBuffer, columns))

    @classmethod
    def of(cls, words: Mapping[str, int]) -> "CountedWords":
        """Lay counted words out as columns; what is laid out already is given back."""
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
        """Return the words in order."""
        return (utf8.decode("utf-8", "surrogatepass") for utf8 in self._encoded())

    def _encoded(self) -> Iterator[bytes]:
        utf8, begin = self.utf8, 0
        for end in self.ends:
            yield utf8[begin:end]
            begin = end

    def __getitem__(self, word: str) -> int:
        """Return the count of a word; raises KeyError for one that does not occur."""
        return self.counts[self._numbers[word]]

    def among(self, words: Iterable[str]) -> dict[str, int]:
        """Return the counts of those of the words that occur, holding no others in memory."""
        wanted = {word.encode("utf-8", "surrogatepass"): word for word in words}
        found = zip(self._encoded(), self.counts, strict=True)
        return {wanted[utf8]: count for utf8, count in found if utf8 in wanted}

    def frequent(self, least: int) -> "CountedWords":
        """Return the words that occur at least so often."""
        kept = [count >= least for count in self.counts]
        return self._laid_out(compress(self._encoded(), kept), compress(self.counts, kept))

    def items(self) -> ItemsView[str, int]:
        """Return words and counts side by side."""
        return _Items(self)

    def values(self) -> ValuesView[int]:
        """Return the counts, in the order of the words."""
        return _Values(self)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self)}


class _Items(ItemsView[str, int]):
    """The pairs of word and count, without a look-up for each."""

    def __init__(self, words: CountedWords) -> None:
        super().__init__(words)
        self._words = words

    def __iter__(self) -> Iterator[tuple[str, int]]:
        return zip(self._words, self._words.counts, strict=True)


class _Values(ValuesView[int]):
    """The counts, without a look-up for each."""

    def __init__(self, words: CountedWords) -> None:
        super().__init__(words)
        self._words = words

    def __iter__(self) -> Iterator[int]:
        return iter(self._words.counts)


class Splitter(Component):
    """Finds the words of a text. Subclass it and define `split`.

    A word is the same word with and without the characters `ignored`, such as soft hyphens, so it
    is counted and segmented without them. `version` counts up when a splitter begins to find other
    words: it is part of signatures and of files of counts.
    """

    ignored: ClassVar[str] = ""

    @abstractmethod
    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each word in code points, in order, without overlap."""

    def split_many(self, texts: Sequence[str]) -> Iterator[Sequence[tuple[int, int]]]:
        """Split many texts; what overrides this gives the same as the loop."""
        return map(self.split, texts)


class GoldEntry(NamedTuple):
    """A word with its gold segmentations, best first, each as its morphs in order.

    Morphs may join to the word, or be canonical forms, as `funny` and `er` of *funnier*.
    """

    word: str
    alternatives: tuple[tuple[str, ...], ...]
    category: str = ""


class GoldReader(Component):
    """Reads the lines of a gold file. Subclass it and define `read`.

    Words hold no white space, but U+0020 where `spaces` is true.
    """

    spaces: ClassVar[bool] = False

    @abstractmethod
    def read(self, line: str) -> GoldEntry | None:
        """Return the entry of a line without its line end, None for a line that holds none.

        Blank lines are left out before. Raises ValueError, which says what is wrong with the line.
        """


class PairGenerator(Component):
    """Changes words. Subclass it and define `change`."""

    @abstractmethod
    def change(self, word: str, random: Random) -> str | None:
        """Return a changed word, None for a word that cannot be changed, whatever is drawn.

        It is another word, not empty, without white space and mark characters. All choices are
        drawn from `random`, so that the same seed gives the same word.
        """

    def change_many(
        self, words: Sequence[str], seeds: Sequence[bytes], draws: int
    ) -> Iterator[list[str | None]]:
        """Change each word so many times with the draws of its seed; None ends them."""
        for word, seed in zip(words, seeds, strict=True):
            random, found = Random(seed), list[str | None]()
            while len(found) < draws and None not in found:
                found.append(self.change(word, random))
            yield found
