"""Tokens as columns: of lines, of words, and in the files of a run; this module loads NumPy."""

import io
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib.format import write_array
from numpy.typing import ArrayLike, NDArray

from tokbench.api.vocabulary import MARKS, Vocabulary, byte_length
from tokbench.api.words import (
    CountTable,
    Flags,
    Gold,
    Ints,
    Pairs,
    Words,
    begins_character,
    byte_widths,
    char_starts,
    code_points,
    read_only,
    shared_property,
    spans,
)


@dataclass(frozen=True, eq=False)
class LineTokens:
    """The tokens of lines as flat arrays.

    Line `i` has the tokens `row[i]` to `row[i + 1]` of `ids` (position in the vocabulary's
    `tokens`, -1 for a token that it does not hold), `starts` and `ends`: the bytes of the line's
    UTF-8 (surrogatepass) that the token covers. Neither falls from token to token of a line. A
    span is empty for a token without text; spans overlap where several tokens share a character
    and it is not known which of its bytes each has.
    """

    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def from_characters(
        cls,
        lines: Sequence[str],
        row: ArrayLike,
        ids: ArrayLike,
        starts: ArrayLike,
        ends: ArrayLike,
    ) -> "LineTokens":
        """Build from offsets in code points of each line."""
        row, starts, ends = _whole(row), _whole(starts), _whole(ends)
        if all(map(str.isascii, lines)):
            return cls(row, _whole(ids), starts, ends)
        byte = np.concatenate(([0], np.cumsum(byte_widths(code_points("".join(lines))))))
        first = np.cumsum([0, *map(len, lines)], dtype=np.int64)[:-1]
        begin = np.repeat(first, np.diff(row))
        before = byte[begin]
        return cls(row, _whole(ids), byte[begin + starts] - before, byte[begin + ends] - before)

    @classmethod
    def from_lengths(cls, row: ArrayLike, ids: ArrayLike, lengths: ArrayLike) -> "LineTokens":
        """Build from the bytes that each token covers, where tokens lie one after another."""
        row = _whole(row)
        ends = np.cumsum(_whole(lengths))
        before = np.concatenate(([0], ends))[row[:-1]]
        ends = ends - np.repeat(before, np.diff(row))
        return cls(row, _whole(ids), ends - _whole(lengths), ends)

    def pairs(self, lines: Sequence[str]) -> Iterator[list[tuple[int | None, int]]]:
        """Return each line's tokens as (id, bytes), None for an id where bytes are dropped.

        Of bytes that tokens share, the first of the tokens has them.
        """
        row, ids = _whole(self.row).tolist(), _whole(self.ids).tolist()
        starts, ends = _whole(self.starts).tolist(), _whole(self.ends).tolist()
        for number, line in enumerate(lines):
            found: list[tuple[int | None, int]] = []
            position = 0
            for i in range(row[number], row[number + 1]):
                if starts[i] > position:
                    found.append((None, starts[i] - position))
                    position = starts[i]
                found.append((ids[i], max(ends[i] - position, 0)))
                position = max(position, ends[i])
            if rest := byte_length(line) - position:
                found.append((None, rest))
            yield found


def _whole(values: Any) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)


__all__ = [
    "Flags",
    "Gold",
    "Ints",
    "Segmentation",
    "Timeline",
    "Words",
    "byte_length",
    "char_starts",
    "spans",
]


@dataclass(frozen=True, eq=False)
class Timeline:
    """The tokens of words as flat arrays, each state with the vocabularies that it belongs to.

    State `s` is word number `word[s]` (rising) cut into the tokens `row[s]` to `row[s + 1]` of
    `ids` (position in the vocabulary's `tokens`, -1 for a token that it does not hold) and `ends`
    (the byte of the word at which each token ends; it begins where the one before it ended). It
    holds for every vocabulary of `since[s]` to `until[s] - 1` learned items. The states of a word
    follow one another without a gap, up to the vocabulary with all learned items.
    """

    word: Ints
    row: Ints
    ids: Ints
    ends: Ints
    since: Ints
    until: Ints


T = TypeVar("T")

_NONE = np.zeros(0, dtype=np.int64)

WHOLE, SHARED_FIRST, SHARED_REST, EXTENDS_OUTSIDE = 0, 1, 2, 3
"""The part of its token that a row of a segmentation holds.

WHOLE is all of it. A token that covers several words has its first row (SHARED_FIRST) in the first
of them, where it is counted, and one more row (SHARED_REST) in each of the others. EXTENDS_OUTSIDE
is a token of one word that also covers text between words, such as a space.
"""


@dataclass(frozen=True, eq=False)
class InContext:
    """The part of a segmentation in context that one of single words lacks.

    `order` holds the state number of each running word, `part` for each row of tokens whether it
    is WHOLE, SHARED_FIRST, SHARED_REST or EXTENDS_OUTSIDE. By line, `outside` is the number of
    tokens that cover no word, `chars` and `bytes` the length of the whole line, spaces included.
    """

    order: NDArray[np.uint32]
    part: NDArray[np.int8]
    outside: Ints
    chars: Ints
    bytes: Ints

    def __post_init__(self) -> None:
        """Forbid writing into the arrays."""
        for values in vars(self).values():
            read_only(values)


@dataclass(frozen=True, eq=False)
class Segmentation:
    """One system's tokens for all distinct words of a corpus.

    State `s` is word number `word[s]` cut into the tokens `row[s]` to `row[s + 1]` of `ids`,
    `starts` and `ends` (byte positions inside the word). An id of -1 is a token that the
    vocabulary does not hold; bytes under no token were dropped. `round_trip` holds whether decoding
    the ids gave the word back. The state holds for vocabularies of `since[s]` to `until[s] - 1`
    learned items; where these are left out each word has one state, which holds for all.

    In `context` a word may have several states, one for each way in which lines cut it. A token
    that covers several words is counted in the first of them; in the others it is a SHARED_REST,
    which covers text but is not counted.
    """

    words: Words
    vocabulary: Vocabulary
    word: Ints
    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints
    round_trip: Flags
    since: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    until: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    context: InContext | None = None

    def __post_init__(self) -> None:
        """Let states hold for all vocabularies by default; forbid writing into the arrays."""
        if len(self.since) != len(self.word):
            always = len(self.vocabulary.learned) + 1
            object.__setattr__(self, "since", np.zeros(len(self.word), dtype=np.int64))
            object.__setattr__(self, "until", np.full(len(self.word), always, dtype=np.int64))
        for values in vars(self).values():
            read_only(values)

    @cached_property
    def _made(self) -> dict[Callable[["Segmentation"], Any], Any]:
        return {}

    def once(self, function: Callable[["Segmentation"], T]) -> T:
        """Return what a function makes of this segmentation; several metrics share the result."""
        if function not in self._made:
            self._made[function] = function(self)
        made: T = self._made[function]
        return made

    def __len__(self) -> int:
        """Count the states."""
        return len(self.word)

    def at(self, learned: int, vocabulary: Vocabulary) -> "Segmentation":
        """Return the states that hold at a number of learned items, one a word.

        `vocabulary` is the segmentation's own, cut to so many learned items.
        """
        held = (self.since <= learned) & (learned < self.until)
        if held.all() and self.context is None:
            # The arrays of many words are large, and read only: they need no copy.
            return replace(self, vocabulary=vocabulary, since=_NONE, until=_NONE)
        return self.take(np.flatnonzero(held), vocabulary)

    def take(self, states: Ints, vocabulary: Vocabulary) -> "Segmentation":
        """Return some of the states alone, as a vocabulary with the same ids would cut them."""
        row = np.concatenate(([0], np.cumsum(self.rows[states])))
        tokens = spans(self.row[states], self.rows[states])
        return Segmentation(
            words=self.words,
            vocabulary=vocabulary,
            word=self.word[states],
            row=row,
            ids=self.ids[tokens],
            starts=self.starts[tokens],
            ends=self.ends[tokens],
            round_trip=self.round_trip[states],
        )

    @shared_property
    def rows(self) -> Ints:
        """Rows of each state: its tokens, and the ends of tokens that began in words before it."""
        return np.diff(self.row)

    @shared_property
    def tokens(self) -> Ints:
        """Tokens of each state, tokens without text included."""
        return self.rows if self.context is None else self.sum_tokens(self.counted)

    @shared_property
    def counted(self) -> Flags:
        """Whether each row is a token that is counted in its state: all but a SHARED_REST."""
        if self.context is None:
            return np.ones(len(self.ids), dtype=bool)
        counted: Flags = self.context.part != SHARED_REST
        return counted

    @shared_property
    def shared(self) -> Flags:
        """Whether each row belongs to a token that covers several words."""
        if self.context is None:
            return np.zeros(len(self.ids), dtype=bool)
        shared: Flags = (self.context.part == SHARED_FIRST) | (self.context.part == SHARED_REST)
        return shared

    @shared_property
    def wider(self) -> Flags:
        """Whether each row belongs to a token that covers more of its line than this word."""
        if self.context is None:
            return np.zeros(len(self.ids), dtype=bool)
        wider: Flags = self.context.part != WHOLE
        return wider

    @shared_property
    def count(self) -> Ints:
        """How many running words have each state."""
        if self.context is None:
            return self.words.count[self.word]
        return np.bincount(self.context.order, minlength=len(self))

    @shared_property
    def outside(self) -> Ints:
        """The tokens of each line that cover no word, such as spaces; none of single words."""
        if self.context is None:
            return np.zeros(len(self.words.lines) - 1, dtype=np.int64)
        return self.context.outside

    @shared_property
    def chars(self) -> Ints:
        """Code points of each state's word."""
        return self.words.chars[self.word]

    @shared_property
    def bytes(self) -> Ints:
        """UTF-8 bytes of each state's word."""
        return self.words.bytes[self.word]

    @shared_property
    def known(self) -> Flags:
        """Whether each token has an id and is neither `unknown` nor special."""
        return known_tokens(self.ids, self.vocabulary)

    @shared_property
    def with_text(self) -> Flags:
        """Whether each token covers any text; a bare mark does not."""
        return self.ends > self.starts

    @shared_property
    def unknown_tokens(self) -> Ints:
        """Tokens of each state that are not known."""
        return self.sum_tokens(~self.known & self.counted)

    @shared_property
    def unknown_chars(self) -> Ints:
        """Code points of each state that stand, wholly or in part, under no known token."""
        unknown = np.zeros(len(self), dtype=np.int64)
        doubtful = np.flatnonzero(self.oov)
        if len(doubtful):
            size = self.bytes[doubtful]
            text = self.words.utf8[spans(self.words.offset[self.word[doubtful]], size)]
            chars = np.flatnonzero(begins_character(text))
            lost = ~np.logical_and.reduceat(self._under_known(doubtful), chars)
            state = np.repeat(np.arange(len(doubtful)), size)[chars]
            unknown[doubtful] = np.bincount(state[lost], minlength=len(doubtful))
        return unknown

    def _under_known(self, states: Ints) -> Flags:
        """Return for each byte of some states' words whether a known token covers it.

        The words follow one another. Tokens may overlap, so the beginnings and ends at each byte
        are added up.
        """
        size = self.bytes[states]
        tokens = spans(self.row[states], self.rows[states])
        first = np.repeat(np.cumsum(size) - size, self.rows[states])[self.known[tokens]]
        tokens = tokens[self.known[tokens]]
        total = int(size.sum()) + 1
        begun = np.bincount(first + self.starts[tokens], minlength=total)
        ended = np.bincount(first + self.ends[tokens], minlength=total)
        covered: Flags = np.cumsum(begun - ended)[:-1] > 0
        return covered

    @shared_property
    def dropped(self) -> Ints:
        """Bytes of each state's word that no token covers."""
        # Bytes that several tokens share are covered once.
        covered = np.append(0, self.ends[:-1])[: len(self.ends)]
        covered[self.row[:-1][self.rows > 0]] = 0
        np.maximum(self.starts, covered, out=covered)
        np.subtract(self.ends, covered, out=covered)
        np.maximum(covered, 0, out=covered)
        return self.bytes - self.sum_tokens(covered)

    @shared_property
    def oov(self) -> Flags:
        """Whether each state holds a token that is not known, or drops text."""
        return (self.sum_tokens(~self.known) > 0) | (self.dropped > 0)

    @shared_property
    def kept_whole(self) -> Flags:
        """Whether each state writes its word, and no other, by one known token."""
        covered = self.ends - self.starts
        covered *= self.known & ~self.shared
        one = np.equal(self.sum_tokens(self.with_text), 1)
        return one & np.equal(self.sum_tokens(covered), self.bytes)

    @property
    def state_of(self) -> Ints:
        """The state that each row of tokens belongs to; made each time, since it is large."""
        return np.repeat(np.arange(len(self)), self.rows)

    @shared_property
    def histogram(self) -> CountTable:
        """How often each state (row) uses each token id (item); the last one is unknown."""
        unknown = len(self.vocabulary.tokens)
        bins = np.where(self.known, self.ids, unknown).astype(np.uint32)[self.counted]
        return CountTable(bins, np.append(0, np.cumsum(self.tokens)), unknown + 1)

    def sum_tokens(self, values: NDArray[np.generic]) -> Ints:
        """Add up one number a token to one number a state."""
        sums: Ints = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, dtype=np.int64, out=sums[1:])
        by_state: Ints = sums[self.row[1:]] - sums[self.row[:-1]]
        return by_state

    @shared_property
    def line_tokens(self) -> Ints:
        """The tokens of each line, those outside words included."""
        return self.sum_lines(self.tokens) + self.outside

    @shared_property
    def line_chars(self) -> Ints:
        """The code points of each line: of all of it in context, else those of its words."""
        return self.words.line_chars if self.context is None else self.context.chars

    def sum_lines(self, values: NDArray[np.generic]) -> Ints:
        """Add up one number a state to one number a line of the running text."""
        if self.context is not None:
            table = CountTable(self.context.order, self.words.lines, len(self))
            return table.add_up(np.asarray(values)).astype(np.int64)
        by_word = np.bincount(self.word, weights=values, minlength=len(self.words))
        by_line: Ints = np.rint(self.words.sum_lines(by_word)).astype(np.int64)
        return by_line

    def pieces(self, state: int) -> list[str]:
        """Return a state's tokens as text for people, each spelled with its marks.

        An unknown token shows the text that it stands for, U+FFFD where that is no whole character.
        """
        raw = self.words.text[self.word[state]].encode("utf-8", "surrogatepass")
        rows = range(self.row[state], self.row[state + 1])
        shown = [
            self.vocabulary.show(self.vocabulary.tokens[self.ids[i]])
            if self.known[i]
            else raw[self.starts[i] : self.ends[i]].decode("utf-8", "replace")
            for i in rows
        ]
        return self.vocabulary.marks.show_display(shown)


def known_tokens(ids: Ints, vocabulary: Vocabulary) -> Flags:
    """Return whether each id is that of a token which is neither `unknown` nor special."""
    known = ids >= 0
    if vocabulary.unproduced:
        known &= ~np.isin(ids, sorted(vocabulary.unproduced))
    return known


def token_lengths(vocabulary: Vocabulary) -> Ints:
    """Return the code points of each token, without marks; 1 for a byte token.

    In a vocabulary of bytes a space at the beginning marks the word, as `▁` does elsewhere, and is
    not counted; parts of characters count as characters.
    """
    texts = vocabulary.tokens
    if vocabulary.units == "bytes":
        texts = tuple(text.removeprefix(" ") for text in texts)
    codes = code_points("".join(texts))
    ends = np.cumsum([0, *map(len, texts)])
    if vocabulary.units == "bytes":
        characters = begins_character(codes)
        characters[ends[:-1][np.diff(ends) > 0]] = True
    else:
        characters = ~np.isin(codes, [*map(ord, MARKS)])
    counted = np.concatenate(([0], np.cumsum(characters)))
    lengths: Ints = counted[ends[1:]] - counted[ends[:-1]]
    lengths[list(vocabulary.bytes)] = 1
    return lengths


Arrays = Mapping[str, NDArray[Any]]
V = TypeVar("V")

ALIVE = ("since", "until")
GROUPS = "groups/"
PAIRS = ("order", "original", "changed", "prefix", "suffix")
SMALL = (np.int8, np.int16, np.int32)
IN_CONTEXT = ("order", "part", "outside", "chars", "bytes")


class Lazy(UserDict[str, V]):
    """Values by name, each made when it is first asked for."""

    def __init__(self, names: Iterable[str], make: Callable[[str], V]) -> None:
        super().__init__()
        self.data = dict.fromkeys(names)  # type: ignore[assignment] # None is not made yet
        self._make = make

    def __getitem__(self, name: str) -> V:
        """Return the value of a name; raise KeyError for a name that there is not."""
        if self.data[name] is None:
            self.data[name] = self._make(name)
        return self.data[name]


def words_arrays(prefix: str, words: Words) -> dict[str, NDArray[Any]]:
    """Return the arrays of words.

    They are the distinct words, the numbers of the running words, where lines begin, their
    documents and their numbers in the file; training counts, gold, categories, groups and pairs
    where there are any.
    """
    arrays = {
        **_strings("words", words.text),
        "order": words.order,
        "lines": words.lines,
        "documents": words.documents,
    }
    if words.train_count is not None:
        arrays["train-count"] = words.train_count
    if words.numbers is not None:
        arrays["numbers"] = words.numbers
    if words.gold is not None:
        gold = words.gold_table
        arrays |= {"gold-first": gold.first, "gold-row": gold.row, "gold-position": gold.position}
    if words.morphs is not None:
        rows = [row for alternatives in words.morphs for row in alternatives]
        arrays |= _strings("morphs", [morph for row in rows for morph in row])
        arrays["morphs-row"] = np.cumsum([0, *map(len, rows)])
        arrays["morphs-first"] = np.cumsum([0, *map(len, words.morphs)])
    if words.category is not None:
        arrays |= _strings("category", words.category)
    arrays |= {f"{GROUPS}{name}": held for name, held in words.groups.items()}
    if words.pairs is not None:
        arrays |= {f"pairs/{name}": getattr(words.pairs, name) for name in PAIRS}
    return {f"{prefix}/{name}": values for name, values in arrays.items()}


def words_of(arrays: Arrays, prefix: str) -> Words:
    """Return the words that `words_arrays` made arrays of."""
    groups = f"{prefix}/{GROUPS}"
    gold = None
    if f"{prefix}/gold-first" in arrays:
        cuts = _nested(arrays[f"{prefix}/gold-position"].tolist(), arrays[f"{prefix}/gold-row"])
        gold = _nested(cuts, arrays[f"{prefix}/gold-first"])
    morphs = None
    if f"{prefix}/morphs-row" in arrays:
        rows = _nested(_texts(arrays, f"{prefix}/morphs"), arrays[f"{prefix}/morphs-row"])
        morphs = _nested(rows, arrays[f"{prefix}/morphs-first"])
    pairs = None
    if f"{prefix}/pairs/order" in arrays:
        order, *by_pair = (arrays[f"{prefix}/pairs/{name}"] for name in PAIRS)
        pairs = Pairs(order, *map(_wide, by_pair))
    return Words(
        text=_texts(arrays, f"{prefix}/words"),
        order=arrays[f"{prefix}/order"],
        lines=_wide(arrays[f"{prefix}/lines"]),
        documents=arrays[f"{prefix}/documents"],
        train_count=_wide(arrays[f"{prefix}/train-count"])
        if f"{prefix}/train-count" in arrays
        else None,
        gold=gold,
        category=_texts(arrays, f"{prefix}/category")
        if f"{prefix}/category-ends" in arrays
        else None,
        numbers=arrays.get(f"{prefix}/numbers"),
        morphs=morphs,
        groups={
            name.removeprefix(groups): arrays[name] for name in arrays if name.startswith(groups)
        },
        pairs=pairs,
    )


def segmentation_arrays(
    prefix: str, segmentation: Segmentation, timeline: bool = False
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a segmentation, without those of its words.

    They are `ids` and `round_trip` of `Segmentation`; how many `states` each word has, and how many
    `tokens` each state; and of each token the `lengths` in characters, and the `gaps` from the end
    of the token before it in its word; all in as few bytes as they fit in. In context
    they are also those of `InContext`. In a `timeline` each state is kept once for all sizes, with
    `since` and `until`: it holds for vocabularies of `since` to `until - 1` learned items.
    """
    found: dict[str, NDArray[Any]] = {
        "states": _small(np.bincount(segmentation.word, minlength=len(segmentation.words))),
        "tokens": _small(segmentation.rows),
        "ids": _small(segmentation.ids),
        "gaps": _small(segmentation.starts - _ends_before(segmentation.row, segmentation.ends)),
        "lengths": _small(segmentation.ends - segmentation.starts),
        "round_trip": segmentation.round_trip,
    }
    found |= {name: _small(getattr(segmentation, name)) for name in ALIVE} if timeline else {}
    if segmentation.context is not None:
        found |= {name: getattr(segmentation.context, name) for name in IN_CONTEXT}
    return {f"{prefix}/{name}": values for name, values in found.items()}


def segmentation_of(
    arrays: Arrays, prefix: str, words: Words, vocabulary: Vocabulary
) -> Segmentation:
    """Return the segmentation that `segmentation_arrays` made arrays of.

    Of a timeline, it is that of the vocabulary's size.
    """
    timeline = f"{prefix}/since" in arrays
    kept = ("ids", "round_trip", *(ALIVE if timeline else ()))
    found = {name: _wide(arrays[f"{prefix}/{name}"]) for name in kept}
    states, tokens, gaps, lengths = (
        _wide(arrays[f"{prefix}/{name}"]) for name in ("states", "tokens", "gaps", "lengths")
    )
    found["word"] = np.repeat(np.arange(len(states)), states)
    found["row"] = row = np.append(0, np.cumsum(tokens))
    ends = np.cumsum(gaps + lengths)
    ends -= np.repeat(np.append(0, ends)[row[:-1]], tokens)
    found |= {"starts": ends - lengths, "ends": ends}
    context = None
    if f"{prefix}/part" in arrays:
        order, part, *by_line = (arrays[f"{prefix}/{name}"] for name in IN_CONTEXT)
        context = InContext(order, part, *map(_wide, by_line))
    whole = Segmentation(words=words, vocabulary=vocabulary, context=context, **found)
    return whole.at(len(vocabulary.learned), vocabulary) if timeline else whole


def _ends_before(row: Ints, ends: Ints) -> Ints:
    """Return where the token before each one ends, 0 for the first of a state."""
    before = np.append(0, ends[:-1])[: len(ends)]
    before[row[:-1][np.diff(row) > 0]] = 0
    return before


def _wide(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole numbers in 8 bytes, which files hold in as few as they fit in."""
    return values if values.dtype == np.bool_ else values.astype(np.int64, copy=False)


def _strings(name: str, values: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Store strings as their UTF-8 bytes (surrogatepass) and the byte at which each ends."""
    texts = [*values]
    ends = np.cumsum(np.fromiter(map(byte_length, texts), np.int64, len(texts)))
    utf8 = "".join(texts).encode("utf-8", "surrogatepass")
    return {f"{name}-utf8": np.frombuffer(utf8, dtype=np.uint8), f"{name}-ends": ends}


def _texts(arrays: Arrays, name: str) -> tuple[str, ...]:
    raw = arrays[f"{name}-utf8"].tobytes()
    spans = pairwise([0, *arrays[f"{name}-ends"].tolist()])
    return tuple(raw[a:b].decode("utf-8", "surrogatepass") for a, b in spans)


def _nested(items: Sequence[V], ends: NDArray[Any]) -> tuple[tuple[V, ...], ...]:
    return tuple(tuple(items[a:b]) for a, b in pairwise(ends.tolist()))


def save(path: Path, arrays: Arrays) -> None:
    """Write compressed arrays as `numpy.load` reads them; the file depends on nothing but them."""
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=6) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
                # Not every version of NumPy's own `savez_compressed` can refuse pickles.
                write_array(file, _small(array), allow_pickle=False)


def _small(values: NDArray[Any]) -> NDArray[Any]:
    """Store lengths, positions and ids in 1, 2 or 4 bytes where they fit."""
    if values.dtype != np.int64:
        return values
    low, high = (values.min(), values.max()) if len(values) else (0, 0)
    fits = (t for t in SMALL if np.iinfo(t).min <= low and high <= np.iinfo(t).max)
    return values.astype(next(fits, np.int64))


def opened(data: bytes) -> Arrays:
    """Open an .npz file, whose arrays are unpacked when they are asked for."""
    file = np.load(io.BytesIO(data), allow_pickle=False)
    return Lazy(file.files, lambda name: np.asarray(file[name]))
