"""Words as columns, and tables of counts; this module loads NumPy."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokbench.api.vocabulary import byte_length

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Flags = NDArray[np.bool_]

T = TypeVar("T")

# So many numbers are added up at a time, in place of columns as long as the text.
_AT_A_TIME = 2**18


def read_only(value: T) -> T:
    """Forbid writing into an array, and return it; any other value is returned as it is.

    Plugins share the arrays: one that wrote into them would change the results of the next.
    """
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


class ReadOnlyArrays:
    """A dataclass of arrays that nobody can write into."""

    def __post_init__(self) -> None:
        """Forbid writing into the arrays."""
        for values in vars(self).values():
            read_only(values)


class shared_property(cached_property[T]):  # noqa: N801 (named as the decorator that it extends)
    """A property that is computed once; an array can only be read."""

    def __init__(self, function: Callable[[Any], T]) -> None:
        super().__init__(lambda owner: read_only(function(owner)))
        self.__doc__ = function.__doc__


@dataclass(frozen=True, eq=False)
class CountTable(ReadOnlyArrays):
    """How often each row holds each of `width` items: words in lines, or token ids in words.

    Row `i` holds the items `items[ends[i]:ends[i + 1]]`, numbers from 0 to `width - 1`, of which
    one may occur several times. Each counts once, or as often as `weights` says, which has one
    number for each of `items`.
    """

    items: NDArray[Any]
    ends: Ints
    width: int
    weights: NDArray[Any] | None = None

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.ends) - 1

    @property
    def counts(self) -> NDArray[Any]:
        """How often each of `items` counts."""
        if self.weights is None:
            return np.broadcast_to(np.int64(1), len(self.items))  # in no memory
        return self.weights

    @property
    def is_whole(self) -> bool:
        """Whether the arrays fit one another: a table that a metric makes may be wrong."""
        items, ends = self.items, self.ends
        kinds = items.dtype.kind + ends.dtype.kind
        if not {*kinds} <= {*"iu"} or (items.ndim, ends.ndim, self.counts.ndim) != (1, 1, 1):
            return False
        steps = np.diff(ends, prepend=0, append=len(items))
        inside = (items >= 0) & (items < self.width)
        return bool((steps >= 0).all() and inside.all() and len(ends) > 0) and (
            ends[0] == 0 and ends[-1] == len(items) == len(self.counts)
        )

    def add_up(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up one number an item to one number a row, or several to several.

        Fractions are added one after the other in the order of `items`.

        >>> CountTable(np.array([0, 1, 1]), np.array([0, 1, 1, 3]), 2).add_up(np.array([5, 7]))
        array([ 5,  0, 14])
        """
        held = () if self.weights is None else (self.weights,)
        kind = np.result_type(values, np.int64, *held)
        sums = np.zeros((len(self), *values.shape[1:]), dtype=kind)
        if not sums.size or not len(self.items):
            return sums
        columns = np.ascontiguousarray(values.reshape(len(values), -1).T, kind)
        for batch, rows, inside in batches(self.ends):
            places = self.items[batch].astype(np.intp)
            row = np.repeat(np.arange(len(inside) - 1), np.diff(inside))
            for column, found in zip(columns, sums.reshape(len(self), -1).T, strict=True):
                taken = column[places]
                if self.weights is not None:
                    taken *= self.weights[batch]
                taken[0] += found[rows.start]  # of a row that begins in the batch before
                if kind == np.float64:
                    # One value after the other, as `reduceat` does not.
                    found[rows] = np.bincount(row, taken, len(inside) - 1)
                else:
                    # Of an empty row `reduceat` would give the next row's item.
                    full = np.flatnonzero(np.diff(inside))
                    found[rows][full] = np.add.reduceat(taken, inside[full])
        return sums

    def totals(self, times: NDArray[Any] | None = None) -> Floats:
        """Add up the rows to one number an item, each row taken once or so many `times`.

        >>> CountTable(np.array([0, 1, 1]), np.array([0, 1, 3]), 2).totals(np.array([3, 1]))
        array([3., 2.])
        """
        sums = np.zeros(self.width)
        for batch, rows, inside in batches(self.ends):
            weights = None if self.weights is None else self.weights[batch]
            if times is not None:
                taken = np.repeat(times[rows], np.diff(inside))
                weights = taken if weights is None else taken * weights
            sums += np.bincount(self.items[batch], weights, self.width)
        return sums

    def toarray(self) -> Floats:
        """Return rows x items, a small table in full."""
        row = np.repeat(np.arange(len(self)), np.diff(self.ends))
        cells = np.bincount(row * self.width + self.items, self.weights, len(self) * self.width)
        return cells.reshape(len(self), self.width).astype(np.float64)

    def where(self, mask: NDArray[np.bool_]) -> "CountTable":
        """Leave out the items that a mask, one flag an item, does not hold; rows and width stay."""
        if mask.all():
            return self
        kept = mask[self.items]
        held = CountTable(self.items, self.ends, self.width).add_up(mask.astype(np.float64))
        ends = np.append(0, np.cumsum(held)).astype(np.int64)
        weights = None if self.weights is None else self.weights[kept]
        return CountTable(self.items[kept], ends, self.width, weights)


def batches(ends: Ints) -> Iterator[tuple[slice, slice, Ints]]:
    """Cut the items of rows into batches of bounded size: (items, rows, ends in the batch).

    Row `i` has the items from `ends[i]` to `ends[i + 1]`. A long row is cut into several batches.

    >>> [(rows, ends.tolist()) for _, rows, ends in batches(np.array([0, 2, 2, 5]))]
    [(slice(0, 3, None), [0, 2, 2, 5])]
    """
    total = int(ends[-1])
    for first in range(0, total, _AT_A_TIME):
        last = min(first + _AT_A_TIME, total)
        row = int(np.searchsorted(ends, first, side="right")) - 1
        stop = int(np.searchsorted(ends, last, side="left"))
        inside = np.clip(ends[row : stop + 1], first, last) - first
        yield slice(first, last), slice(row, stop), inside


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
class Pairs(ReadOnlyArrays):
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

    def __len__(self) -> int:
        """Count the pairs."""
        return len(self.original)


@dataclass(frozen=True, eq=False)
class Words(ReadOnlyArrays):
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
        """Forbid writing into the arrays, those of `groups` too."""
        super().__post_init__()
        for members in self.groups.values():
            read_only(members)

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
