"""The words of one test corpus as flat arrays: distinct ones, running text, and gold."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokbench.api.count_table import CountTable, Ints, read_only
from tokbench.api.units import byte_length

Flags = NDArray[np.bool_]

T = TypeVar("T")

KIND, BAND, NEW = "kind", "band", "new"
"""Families of subsets: kinds of unseen words, bands of training counts, new words."""

PERTURBED, COMMON = "perturbed", "common"
"""Families of subsets of pairs: all of a kind, and those of words of every kind."""


class Subset(NamedTuple):
    """Some words of a corpus: a family of subsets, and the name in it where there are several.

    >>> str(Subset(KIND, "case")), Subset.parse("unseen")
    ('kind:case', Subset(family='unseen', name=''))
    """

    family: str
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> "Subset":
        """Read a subset as the results spell it."""
        family, _, name = text.partition(":")
        return cls(family, name)

    def __str__(self) -> str:
        """Spell it as the results do."""
        return f"{self.family}:{self.name}" if self.name else self.family


class shared_property(cached_property[T]):  # noqa: N801 (named as the decorator that it extends)
    """A property that is computed once; arrays are read-only."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(lambda owner: read_only(function(owner)))
        self.__doc__ = function.__doc__


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold of words as flat arrays.

    The alternatives of word `w` are the rows `first[w]` to `first[w + 1]`; row `r` has its inner
    boundaries at the byte positions `position[row[r]:row[r + 1]]`.
    """

    first: Ints
    row: Ints
    position: Ints


@dataclass(frozen=True, eq=False)
class Pairs:
    """Originals and what they were changed to, as numbers of distinct words.

    Pair `p` turns the word `original[p]` into `changed[p]`. Both begin with the same `prefix[p]`
    characters, and the rest of both ends with the same `suffix[p]`. `order` holds the pair number
    of each running word, which is a changed one.
    """

    order: NDArray[np.uint32]
    original: Ints
    changed: Ints
    prefix: Ints
    suffix: Ints

    def __post_init__(self) -> None:
        """Forbid writing into the arrays."""
        for values in vars(self).values():
            read_only(values)

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.original)


@dataclass(frozen=True, eq=False)
class Words:
    """The distinct scoring words of a corpus, and its running text as their numbers.

    `order` holds the word number of each running word (4 bytes each), line `i` is
    `order[lines[i]:lines[i + 1]]` and belongs to document `documents[i]`. `train_count` is the
    word's count in the training text, 0 for an unseen word; it is None without such a text.
    `gold`, where there is any, holds for each word its alternative segmentations as sorted byte
    positions of the inner boundaries.
    `morphs` holds the same as texts, also where these do not join to the word, which then has no
    boundaries. `category`, for lists, is the category of each word. `numbers` are the numbers of
    the lines in their file, from 1, where they are known. `groups` holds by name which words are
    scored apart: the kinds of unseen words (`kind:joined`), bands of training counts (`band:2-5`),
    and gold words that are `new`. Where there are `pairs`, groups hold pairs instead:
    those of a kind (`perturbed:typo`), and of these the words that every kind changes
    (`common:typo`).
    """

    text: tuple[str, ...]
    order: NDArray[np.uint32]
    lines: Ints
    documents: NDArray[np.int32]
    train_count: Ints | None
    gold: tuple[tuple[tuple[int, ...], ...], ...] | None = None
    category: tuple[str, ...] | None = None
    numbers: NDArray[np.int32] | None = None
    morphs: tuple[tuple[tuple[str, ...], ...], ...] | None = None
    groups: Mapping[str, Flags] = field(default_factory=dict)
    pairs: Pairs | None = None

    def __post_init__(self) -> None:
        """Forbid writing into the arrays."""
        for values in (*vars(self).values(), *self.groups.values()):
            read_only(values)

    def __len__(self) -> int:
        """Count the distinct words."""
        return len(self.text)

    @shared_property
    def count(self) -> Ints:
        """How often each distinct word occurs."""
        return CountTable(self.order, self.lines, len(self)).totals().astype(np.int64)

    @shared_property
    def unseen(self) -> Flags:
        """Whether each distinct word is not in the training text; of none without such a text."""
        if self.train_count is None:
            return np.zeros(len(self), dtype=bool)
        return np.equal(self.train_count, 0)

    @shared_property
    def chars(self) -> Ints:
        """Code points of each distinct word."""
        return np.array([len(word) for word in self.text], dtype=np.int64)

    @shared_property
    def bytes(self) -> Ints:
        """UTF-8 bytes of each distinct word."""
        return np.array([byte_length(word) for word in self.text], dtype=np.int64)

    @shared_property
    def utf8(self) -> NDArray[np.uint8]:
        """The UTF-8 bytes of all distinct words, one word after the other."""
        return np.frombuffer("".join(self.text).encode("utf-8", "surrogatepass"), dtype=np.uint8)

    @shared_property
    def offset(self) -> Ints:
        """The byte of `utf8` at which each distinct word begins."""
        return np.cumsum(self.bytes) - self.bytes

    @shared_property
    def gold_table(self) -> Gold:
        """The gold as flat arrays; a word without any has no alternatives."""
        gold = self.gold or ((),) * len(self)
        rows = [cuts for alternatives in gold for cuts in alternatives]
        first = np.cumsum([0, *map(len, gold)], dtype=np.int64)
        row = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=int(row[-1]))
        return Gold(first, row, flat)

    @shared_property
    def line_chars(self) -> Ints:
        """Code points of the words of each line."""
        return self.sum_lines(self.chars).astype(np.int64)

    def sum_lines(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up one number a distinct word to one number a line, over its running words."""
        return CountTable(self.order, self.lines, len(self)).add_up(values)


def spans(first: Ints, size: Ints) -> Ints:
    """Return the positions first, first + 1, ..., of `size` each, one span after the other.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(size)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(first - (ends - size), size) + np.arange(total)


def char_starts(word: str) -> Sequence[int]:
    """Return the byte position at which each code point of a word begins."""
    starts, position = [], 0
    for char in word:
        starts.append(position)
        position += byte_length(char)
    return starts


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the number of each code point of a text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")


def begins_character(utf8: NDArray[Any]) -> Flags:
    """Return whether each byte of a text's UTF-8 begins a code point: all but 10xxxxxx do."""
    begins: Flags = (utf8 & 0xC0) != 0x80
    return begins


def byte_widths(codes: NDArray[np.uint32]) -> Ints:
    """Return how many bytes of UTF-8 (surrogatepass) each code point takes."""
    wide: Ints = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
    return wide


def byte_lengths(texts: Sequence[str]) -> Ints:
    """Return the length of each text in UTF-8 bytes (surrogatepass)."""
    # Written out: a call of `byte_length` for each text takes half as long again.
    sizes = [len(x) if x.isascii() else len(x.encode("utf-8", "surrogatepass")) for x in texts]
    return np.array(sizes, dtype=np.int64)
