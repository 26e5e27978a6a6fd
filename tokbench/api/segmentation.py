"""Tokens as NumPy arrays: of lines, of words, and of words at every size of a vocabulary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokbench.api.metric import SharesResults
from tokbench.api.text import MARKS, byte_length
from tokbench.api.vocabulary import Vocabulary
from tokbench.api.words import (
    CountTable,
    Flags,
    Ints,
    ReadOnlyArrays,
    Words,
    begins_character,
    byte_widths,
    code_points,
    shared_property,
    spans,
)

WHOLE, SHARED_FIRST, SHARED_REST = 0, 1, 2
"""The part of its token that a row of a segmentation holds.

WHOLE is a token of one word. A token that covers several words has its first row (SHARED_FIRST) in
the first of them, where it is counted, and one more row (SHARED_REST) in each of the others. Runs
of earlier versions have 3 in place of WHOLE for a token that also covers a space.
"""

TOKEN_COLUMNS = {"ids", "starts", "ends", "part"}


@dataclass(frozen=True, eq=False)
class LineTokens:
    """The tokens of lines as flat arrays of whole numbers.

    Line `i` has the tokens `row[i]` to `row[i + 1] - 1`, so `row` has one number more than there
    are lines. Of each token, `ids` holds its position in the vocabulary's `tokens` (-1 if it is not
    there), `starts` and `ends` the bytes of the line's UTF-8 (surrogatepass) that it covers. Within
    a line, neither `starts` nor `ends` ever falls. A token without text has an empty span. Tokens
    that share a character have overlapping spans if it is unknown which of its bytes each has.
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
        """Build from `starts` and `ends` that are counted in code points of each line."""
        row, starts, ends = _ints(row), _ints(starts), _ints(ends)
        if all(map(str.isascii, lines)):
            return cls(row, _ints(ids), starts, ends)
        byte = np.concatenate(([0], np.cumsum(byte_widths(code_points("".join(lines))))))
        first = np.cumsum([0, *map(len, lines)], dtype=np.int64)[:-1]
        begin = np.repeat(first, np.diff(row))
        before = byte[begin]
        return cls(row, _ints(ids), byte[begin + starts] - before, byte[begin + ends] - before)

    @classmethod
    def from_lengths(cls, row: ArrayLike, ids: ArrayLike, lengths: ArrayLike) -> "LineTokens":
        """Build from the number of bytes that each token covers, without gaps between tokens."""
        row, lengths = _ints(row), _ints(lengths)
        ends = np.cumsum(lengths)
        before = np.concatenate(([0], ends))[row[:-1]]
        ends = ends - np.repeat(before, np.diff(row))
        return cls(row, _ints(ids), ends - lengths, ends)

    def pairs(self, lines: Sequence[str]) -> Iterator[list[tuple[int | None, int]]]:
        """Yield each line's tokens as (id, number of bytes); the id is None for dropped bytes.

        Bytes that several tokens share belong to the first of them.
        """
        row, ids = _ints(self.row).tolist(), _ints(self.ids).tolist()
        starts, ends = _ints(self.starts).tolist(), _ints(self.ends).tolist()
        for number, line in enumerate(lines):
            tokens: list[tuple[int | None, int]] = []
            position = 0
            for i in range(row[number], row[number + 1]):
                if starts[i] > position:
                    tokens.append((None, starts[i] - position))
                    position = starts[i]
                tokens.append((ids[i], max(ends[i] - position, 0)))
                position = max(position, ends[i])
            if rest := byte_length(line) - position:
                tokens.append((None, rest))
            yield tokens


def _ints(values: Any) -> Ints:
    """Return an array; plugin authors may give lists."""
    return np.asarray(values, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Timeline:
    """The tokens of words at every size of a vocabulary, as flat arrays of whole numbers.

    A state is one way in which a word is cut, with the sizes at which it is cut so. State `s` cuts
    word number `word[s]` into the tokens `row[s]` to `row[s + 1] - 1`. Of each token, `ids` holds
    its position in the vocabulary's `tokens` (-1 if it is not there), `ends` the byte of the word
    at which it ends; it begins where the token before it ends. The state belongs to every
    vocabulary with `since[s]` to `until[s] - 1` learned items. States stand in the order of words,
    and those of one word follow one another without a gap, up to the whole vocabulary.
    """

    word: Ints
    row: Ints
    ids: Ints
    ends: Ints
    since: Ints
    until: Ints

    @property
    def starts(self) -> Ints:
        """The byte of the word at which each token begins."""
        return ends_before(self.row, self.ends)


@dataclass(frozen=True, eq=False)
class InContext(ReadOnlyArrays):
    """The arrays that only a segmentation in context has.

    `order` holds the number of the state of each running word; `part` says of each row of tokens
    whether it is WHOLE, SHARED_FIRST or SHARED_REST. Of each line, `outside` is
    the number of tokens that cover no word, `chars` its code points and `bytes` its UTF-8 bytes,
    spaces included, and `returned` says whether its ids give it back, spaces and case included; it
    is empty where this is not known, as in runs of earlier versions.
    """

    order: NDArray[np.uint32]
    part: NDArray[np.int8]
    outside: Ints
    chars: Ints
    bytes: Ints
    returned: Flags = field(default_factory=lambda: np.zeros(0, dtype=bool))


def _no_sizes() -> Ints:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Segmentation(ReadOnlyArrays, SharesResults):
    """One system's tokens of all distinct words of a corpus, as flat arrays.

    A state is one way in which a word is cut. State `s` cuts word number `word[s]` into the tokens
    `row[s]` to `row[s + 1] - 1`. Of each token, `ids` holds its position in the vocabulary's
    `tokens` (-1 if it is not there), `starts` and `ends` the bytes of the word that it covers.
    Bytes that no token covers were dropped. `round_trip` says of each state whether decoding its
    ids returns the word.

    The state belongs to every vocabulary with `since[s]` to `until[s] - 1` learned items. If these
    arrays are left out, each word has one state for all sizes.

    In `context`, whole lines were cut: a word has one state for each way in which lines cut it. A
    token that covers several words is counted in the first of them; in each of the others it has a
    SHARED_REST row, which covers text but is not counted.
    """

    words: Words
    vocabulary: Vocabulary
    word: Ints
    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints
    round_trip: Flags
    since: Ints = field(default_factory=_no_sizes)
    until: Ints = field(default_factory=_no_sizes)
    context: InContext | None = None

    def __post_init__(self) -> None:
        """Let states belong to all sizes by default; forbid writing into the arrays."""
        if len(self.since) != len(self.word):
            sizes = len(self.vocabulary.learned) + 1
            object.__setattr__(self, "since", np.zeros(len(self.word), dtype=np.int64))
            object.__setattr__(self, "until", np.full(len(self.word), sizes, dtype=np.int64))
        super().__post_init__()

    def __len__(self) -> int:
        """Count the states."""
        return len(self.word)

    def at(self, learned: int, vocabulary: Vocabulary) -> "Segmentation":
        """Return the states at a number of learned items, one for each word.

        `vocabulary` is the segmentation's own, cut to that number.
        """
        holds = (self.since <= learned) & (learned < self.until)
        if holds.all() and self.context is None:
            # The arrays of many words are large, and read only: they need no copy.
            return replace(self, vocabulary=vocabulary, since=_no_sizes(), until=_no_sizes())
        return self.take(np.flatnonzero(holds), vocabulary)

    def take(self, states: Ints, vocabulary: Vocabulary) -> "Segmentation":
        """Return some of the states, with another vocabulary that has the same ids."""
        names = ("word", "row", "ids", "starts", "ends", "round_trip")
        columns = take_rows({name: getattr(self, name) for name in names}, states)
        return Segmentation(self.words, vocabulary, **columns)

    @shared_property
    def rows(self) -> Ints:
        """The rows of each state: its tokens, and its parts of tokens of words before it."""
        return np.diff(self.row)

    @shared_property
    def tokens(self) -> Ints:
        """The number of tokens of each state, including tokens without text."""
        return self.rows if self.context is None else self.sum_tokens(self.counted)

    @shared_property
    def counted(self) -> Flags:
        """Whether each row is a token that is counted in its state: all but a SHARED_REST."""
        if self.context is None:
            return np.ones(len(self.ids), dtype=bool)
        return np.not_equal(self.context.part, SHARED_REST)

    @shared_property
    def shared(self) -> Flags:
        """Whether each row belongs to a token that covers several words."""
        if self.context is None:
            return np.zeros(len(self.ids), dtype=bool)
        return np.isin(self.context.part, (SHARED_FIRST, SHARED_REST))

    @shared_property
    def count(self) -> Ints:
        """The number of running words that have each state."""
        if self.context is None:
            return self.words.count[self.word]
        return np.bincount(self.context.order, minlength=len(self))

    @shared_property
    def outside(self) -> Ints:
        """The number of tokens of each line that cover no word, such as spaces.

        It is 0 if words are cut alone.
        """
        if self.context is None:
            return np.zeros(len(self.words.lines) - 1, dtype=np.int64)
        return self.context.outside

    @shared_property
    def chars(self) -> Ints:
        """The code points of each state's word."""
        return self.words.chars[self.word]

    @shared_property
    def bytes(self) -> Ints:
        """The UTF-8 bytes of each state's word."""
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
        """The number of tokens of each state that are not known."""
        return self.sum_tokens(~self.known & self.counted)

    @shared_property
    def unknown_chars(self) -> Ints:
        """The code points of each state that known tokens do not cover completely."""
        unknown = np.zeros(len(self), dtype=np.int64)
        doubtful = np.flatnonzero(self.oov)  # all others are covered, so most need no search
        if len(doubtful):
            size = self.bytes[doubtful]
            text = self.words.utf8[spans(self.words.offset[self.word[doubtful]], size)]
            chars = np.flatnonzero(begins_character(text))
            unknown_char = ~np.logical_and.reduceat(self._under_known(doubtful), chars)
            state = np.repeat(np.arange(len(doubtful)), size)[chars]
            unknown[doubtful] = np.bincount(state[unknown_char], minlength=len(doubtful))
        return unknown

    def _under_known(self, states: Ints) -> Flags:
        """Return for each byte of the words of some states whether a known token covers it."""
        size = self.bytes[states]
        tokens = spans(self.row[states], self.rows[states])
        first = np.repeat(np.cumsum(size) - size, self.rows[states])[self.known[tokens]]
        tokens = tokens[self.known[tokens]]
        total = int(size.sum()) + 1
        # Tokens may overlap: at each byte, count the tokens that have begun and not yet ended.
        begun = np.bincount(first + self.starts[tokens], minlength=total)
        ended = np.bincount(first + self.ends[tokens], minlength=total)
        covered: Flags = np.cumsum(begun - ended)[:-1] > 0
        return covered

    @shared_property
    def dropped(self) -> Ints:
        """The bytes of each state's word that no token covers."""
        return self.bytes - self.sum_tokens(covered_bytes(self.row, self.starts, self.ends))

    @shared_property
    def oov(self) -> Flags:
        """Whether each state has a token that is not known, or drops text."""
        return (self.sum_tokens(~self.known) > 0) | (self.dropped > 0)

    @shared_property
    def kept_whole(self) -> Flags:
        """Whether each state writes its word, and no other, by one known token."""
        covered = self.ends - self.starts
        covered *= self.known & ~self.shared
        single = np.equal(self.sum_tokens(self.with_text), 1)
        return single & np.equal(self.sum_tokens(covered), self.bytes)

    @property
    def state_of(self) -> Ints:
        """The state of each row of tokens; computed on each use, since it is large."""
        return np.repeat(np.arange(len(self)), self.rows)

    def states_at(self, places: slice | Sequence[int] = slice(None)) -> Ints:
        """Return the states of the running words at some places, by default at all.

        If words are cut alone, each must have one state.
        """
        if self.context is not None:
            return self.context.order[places].astype(np.int64)
        return np.searchsorted(self.word, self.words.order[places])

    @shared_property
    def histogram(self) -> CountTable:
        """How often each state (row) has each token id (item); the last item counts the unknown."""
        unknown = len(self.vocabulary.tokens)
        bins = np.where(self.known, self.ids, unknown).astype(np.uint32)[self.counted]
        return CountTable(bins, np.append(0, np.cumsum(self.tokens)), unknown + 1)

    def sum_tokens(self, values: NDArray[np.generic]) -> Ints:
        """Add up one number for each token to one number for each state."""
        sums: Ints = np.zeros(len(values) + 1, dtype=np.int64)
        np.cumsum(values, dtype=np.int64, out=sums[1:])
        by_state: Ints = sums[self.row[1:]] - sums[self.row[:-1]]
        return by_state

    @shared_property
    def line_tokens(self) -> Ints:
        """The number of tokens of each line, including those outside words."""
        return self.sum_lines(self.tokens) + self.outside

    @shared_property
    def line_chars(self) -> Ints:
        """The code points of each line: of the whole line in context, else of its words."""
        return self.words.line_chars if self.context is None else self.context.chars

    def sum_lines(self, values: NDArray[np.generic]) -> Ints:
        """Add up one number for each state to one number for each line of the running text."""
        if self.context is not None:
            table = CountTable(self.context.order, self.words.lines, len(self))
            return table.add_up(np.asarray(values)).astype(np.int64)
        by_word = np.bincount(self.word, weights=values, minlength=len(self.words))
        by_line: Ints = np.rint(self.words.sum_lines(by_word)).astype(np.int64)
        return by_line

    def pieces(self, state: int) -> list[str]:
        """Return a state's tokens as text for people, each spelled with its marks.

        An unknown token is shown as the text that it covers, with U+FFFD for parts of characters.
        """
        raw = self.words.text[self.word[state]].encode("utf-8", "surrogatepass")
        shown = [
            self.vocabulary.show(self.vocabulary.tokens[self.ids[i]])
            if self.known[i]
            else raw[self.starts[i] : self.ends[i]].decode("utf-8", "replace")
            for i in range(self.row[state], self.row[state + 1])
        ]
        return self.vocabulary.marks.show_display(shown)


def take_rows(columns: Mapping[str, NDArray[Any]], rows: Ints) -> dict[str, Any]:
    """Return some of the rows of arrays of tokens; row `i` has those from `row[i]` to `row[i + 1]`.

    `ids`, `starts`, `ends` and `part` have one number for each token, all others one for each row.
    """
    many = np.diff(columns["row"])[rows]
    tokens = spans(columns["row"][rows], many)
    taken = {
        name: values[tokens if name in TOKEN_COLUMNS else rows]
        for name, values in columns.items()
        if name != "row"
    }
    return {**taken, "row": np.append(0, np.cumsum(many))}


def ends_before(row: Ints, ends: Ints) -> Ints:
    """Return where the token before each token ends; 0 for the first of a state or line."""
    before = np.append(0, ends[:-1])[: len(ends)]
    before[row[:-1][np.diff(row) > 0]] = 0
    return before


def covered_bytes(row: Ints, starts: Ints, ends: Ints) -> Ints:
    """Return how many bytes each token covers; bytes that tokens share belong to the first."""
    covered = np.maximum(starts, ends_before(row, ends))
    np.subtract(ends, covered, out=covered)
    return np.maximum(covered, 0, out=covered)


def known_tokens(ids: Ints, vocabulary: Vocabulary) -> Flags:
    """Return whether each id belongs to a token that is neither `unknown` nor special."""
    known = ids >= 0
    if vocabulary.unproduced:
        known &= ~np.isin(ids, sorted(vocabulary.unproduced))
    return known


def token_lengths(vocabulary: Vocabulary) -> Ints:
    """Return the number of code points of each token without marks; a byte token has 1.

    In a vocabulary of bytes, a part of a character counts as a character, and a space at the
    beginning of a token is not counted: it marks the beginning of a word, as `▁` does elsewhere.
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
