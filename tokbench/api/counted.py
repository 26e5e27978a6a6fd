"""Counted words as flat columns, for learners that work on arrays instead of one word at a time."""

from array import array
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from functools import cached_property
from itertools import accumulate, pairwise


class CountedWords(Mapping[str, int]):
    """Distinct words with their counts, in the order in which they first occur.

    `utf8` holds the words' UTF-8 bytes (`surrogatepass`) one after the other, `ends` the byte at
    which each ends, `counts` how often each occurs; both are of type `q` (64 bits). It reads like
    a `dict`, but holds no object for a word until it is asked for.
    """

    def __init__(self, utf8: bytes, ends: "array[int]", counts: "array[int]") -> None:
        self.utf8 = utf8
        self.ends = ends
        self.counts = counts

    @classmethod
    def of(cls, words: Mapping[str, int]) -> "CountedWords":
        """Lay counted words out as columns; what is laid out already is given back."""
        if isinstance(words, cls):
            return words
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        ends = array("q", accumulate(map(len, encoded)))
        return cls(b"".join(encoded), ends, array("q", words.values()))

    def __len__(self) -> int:
        """Count the distinct words."""
        return len(self.ends)

    def __iter__(self) -> Iterator[str]:
        """Give the words in order."""
        utf8 = self.utf8
        for begin, end in pairwise((0, *self.ends)):
            yield utf8[begin:end].decode("utf-8", "surrogatepass")

    def __getitem__(self, word: str) -> int:
        """Give the count of a word; raises KeyError for one that does not occur."""
        return self.counts[self._numbers[word]]

    def items(self) -> ItemsView[str, int]:
        """Give words and counts side by side."""
        return _Items(self)

    def values(self) -> ValuesView[int]:
        """Give the counts, in the order of the words."""
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
