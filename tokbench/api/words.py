"""The words of a corpus, and tables of counts, as NumPy arrays."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

Flags = NDArray[np.bool_]

T = TypeVar("T")

# Add up so many numbers at a time, so that no array is as long as the text.
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
    """How often each row has each of `width` items: words in lines, or token ids in words.

    Row `i` has the items `items[ends[i]:ends[i + 1]]`, numbers from 0 to `width - 1`; an item may
    occur several times. Each of `items` counts once, or as often as the number at the same place of
    `weights` says.
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
            return np.broadcast_to(np.int64(1), len(self.items))  # takes no memory
        return self.weights

    @property
    def is_whole(self) -> bool:
        """Whether the arrays fit together, which a metric may get wrong."""
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
        """Add up one number for each item (or several) to one for each row (or several).

        Fractions are added one after the other, in the order of `items`.

        >>> CountTable(np.array([0, 1, 1]), np.array([0, 1, 1, 3]), 2).add_up(np.array([5, 7]))
        array([ 5,  0, 14])
        """
        kind = np.result_type(values, self.counts, np.int64)
        sums = np.zeros((len(self), *values.shape[1:]), dtype=kind)
        if not sums.size or not len(self.items):
            return sums
        columns = np.ascontiguousarray(values.reshape(len(values), -1).T, kind)
        for batch, rows, inside in batches(self.ends):
            places = self.items[batch].astype(np.intp)
            sizes = np.diff(inside)
            # For an empty row, `reduceat` would return the next row's item.
            filled = np.flatnonzero(sizes)
            row = np.repeat(np.arange(len(sizes)), sizes if kind == np.float64 else 0)
            for column, total in zip(columns, sums.reshape(len(self), -1).T, strict=True):
                taken = column[places]
                if self.weights is not None:
                    taken *= self.weights[batch]
                taken[0] += total[rows.start]  # the row may have begun in the batch before
                if kind == np.float64:
                    # Adds one value after the other, unlike `reduceat`.
                    total[rows] = np.bincount(row, taken, len(sizes))
                else:
                    total[rows][filled] = np.add.reduceat(taken, inside[filled])
        return sums

    def totals(self, times: NDArray[Any] | None = None) -> Floats:
        """Add up the rows to one number for each item; `times` is how often each row counts.

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
        """Return the table in full, as an array of rows x items."""
        row = np.repeat(np.arange(len(self)), np.diff(self.ends))
        cells = np.bincount(row * self.width + self.items, self.weights, len(self) * self.width)
        return cells.reshape(len(self), self.width).astype(np.float64)

    def where(self, mask: NDArray[np.bool_]) -> "CountTable":
        """Leave out the items for which a mask is False; rows and width stay the same."""
        if mask.all():
            return self
        is_left = mask[self.items]
        sizes = CountTable(self.items, self.ends, self.width).add_up(mask.astype(np.int64))
        ends = np.append(0, np.cumsum(sizes))
        weights = None if self.weights is None else self.weights[is_left]
        return CountTable(self.items[is_left], ends, self.width, weights)


def batches(ends: Ints) -> Iterator[tuple[slice, slice, Ints]]:
    """Yield the items of rows in batches of bounded size: (items, rows, ends in the batch).

    Row `i` has the items from `ends[i]` to `ends[i + 1]`. A long row is in several batches.

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
"""Families of subsets: kinds of unseen words, bands of training counts, new gold words."""

PERTURBED, COMMON = "perturbed", "common"
"""Families of subsets of pairs: all of a kind, and those of the words that every kind changes."""


class Subset(NamedTuple):
    """Some words of a corpus: a family of subsets, and a name if the family has several.

    >>> str(Subset(KIND, "case")), Subset.parse("unseen")
    ('kind:case', Subset(family='unseen', name=''))
    """

    family: str
    name: str = ""

    @classmethod
    def parse(cls, text: str) -> "Subset":
        """Read a subset from its spelling in the results."""
        family, _, name = text.partition(":")
        return cls(family, name)

    def __str__(self) -> str:
        """Return the spelling in the results."""
        return f"{self.family}:{self.name}" if self.name else self.family


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold segmentations of words as flat arrays.

    The alternatives of word `w` are the rows `first[w]` to `first[w + 1] - 1`. Row `r` has inner
    boundaries at the byte positions `position[row[r]:row[r + 1]]`.
    """

    first: Ints
    row: Ints
    position: Ints


@dataclass(frozen=True, eq=False)
class Pairs(ReadOnlyArrays):
    """Pairs of words: an original, and the word to which it was changed.

    Pair `p` turns word number `original[p]` into word number `changed[p]`. Both begin with the same
    `prefix[p]` characters, and the rest of both ends with the same `suffix[p]` characters. Running
    words are changed words; `order` holds the number of the pair of each.
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
    """The distinct scoring words of a corpus, and its running text as numbers of these words.

    - `text`: the distinct words; a word's position is its number.
    - `order`: the word number of each running word. Line `i` is `order[lines[i]:lines[i + 1]]`.
    - `documents`: the number of the document of each line.
    - `train_count`: how often each word occurs in the training text (0: unseen); None without one.
    - `gold`: the alternative segmentations of each word, each as the sorted byte positions of its
      inner boundaries; None for a corpus without gold.
    - `category`: the category of each word of a list.
    - `numbers`: the number of each line in its file, from 1, if known.
    - `morphs`: the gold as texts. If these do not join to the word, its `gold` has no boundaries.
    - `groups`: flags of the words that are also scored by themselves, by the name of the subset:
      kinds of unseen words (`kind:joined`), bands of training counts (`band:2-5`), gold words that
      are `new`. If there are `pairs`, the flags are those of pairs: all of a kind
      (`perturbed:typo`), and of these the words that every kind changes (`common:typo`).
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
        """How often each distinct word occurs in the running text."""
        return CountTable(self.order, self.lines, len(self)).totals().astype(np.int64)

    @shared_property
    def unseen(self) -> Flags:
        """Whether each distinct word is missing from the training text; False without one."""
        if self.train_count is None:
            return np.zeros(len(self), dtype=bool)
        return np.equal(self.train_count, 0)

    @shared_property
    def chars(self) -> Ints:
        """The code points of each distinct word."""
        return np.array([len(word) for word in self.text], dtype=np.int64)

    @shared_property
    def bytes(self) -> Ints:
        """The UTF-8 bytes of each distinct word."""
        return byte_lengths(self.text)

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
        """The gold as flat arrays; a word without gold has no alternatives."""
        gold = self.gold or ((),) * len(self)
        rows = [cuts for alternatives in gold for cuts in alternatives]
        first = np.cumsum([0, *map(len, gold)], dtype=np.int64)
        row = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=int(row[-1]))
        return Gold(first, row, flat)

    @shared_property
    def line_chars(self) -> Ints:
        """The code points of the words of each line."""
        return self.sum_lines(self.chars).astype(np.int64)

    def sum_lines(self, values: NDArray[Any]) -> NDArray[Any]:
        """Add up one number for each distinct word over the running words of each line."""
        return CountTable(self.order, self.lines, len(self)).add_up(values)


def spans(first: Ints, size: Ints) -> Ints:
    """Return the positions first, first + 1, ... of each span of a `size`, one after the other.

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
    """Return whether each byte of a text's UTF-8 begins a code point: all except 10xxxxxx do."""
    begins: Flags = (utf8 & 0xC0) != 0x80
    return begins


def byte_widths(codes: NDArray[np.uint32]) -> Ints:
    """Return how many bytes of UTF-8 (surrogatepass) each code point takes."""
    wide: Ints = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000)
    return wide


def byte_lengths(texts: Sequence[str]) -> Ints:
    """Return the length of each text in UTF-8 bytes (surrogatepass)."""
    # Calling `byte_length` for each text takes half as long again.
    sizes = [len(x) if x.isascii() else len(x.encode("utf-8", "surrogatepass")) for x in texts]
    return np.array(sizes, dtype=np.int64)
