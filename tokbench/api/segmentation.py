"""The segmentation: all words of one test corpus, cut by one system, as flat arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tokbench.api.marks import Marks
from tokbench.api.vocabulary import Vocabulary

if TYPE_CHECKING:
    from scipy import sparse

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


def byte_length(text: str) -> int:
    """Give the length in UTF-8 bytes; a lone surrogate counts three."""
    return len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, eq=False)
class Words:
    """The distinct scoring words of a corpus, and its running text as their numbers.

    `order` holds the word number of each running word (4 bytes each), line `i` is
    `order[lines[i]:lines[i + 1]]` and belongs to document `documents[i]`. `train_count` is the
    word's count in the training text, 0 for an unseen word. `gold`, where there is any, holds for
    each word its alternative segmentations as sorted byte positions of the inner boundaries.
    `category`, for lists, is the category of each word.
    """

    text: tuple[str, ...]
    order: NDArray[np.uint32]
    lines: Ints
    documents: NDArray[np.int32]
    train_count: Ints
    gold: tuple[tuple[tuple[int, ...], ...], ...] | None = None
    category: tuple[str, ...] | None = None

    def __len__(self) -> int:
        """Count the distinct words."""
        return len(self.text)

    @cached_property
    def count(self) -> Ints:
        """How often each distinct word occurs."""
        return np.bincount(self.order, minlength=len(self.text)).astype(np.int64)

    @cached_property
    def chars(self) -> Ints:
        """Code points of each distinct word."""
        return np.array([len(word) for word in self.text], dtype=np.int64)

    @cached_property
    def bytes(self) -> Ints:
        """UTF-8 bytes of each distinct word."""
        return np.array([byte_length(word) for word in self.text], dtype=np.int64)

    @cached_property
    def by_line(self) -> "sparse.csr_array":
        """How often each distinct word (column) occurs in each line (row)."""
        ones = np.ones(len(self.order), dtype=np.int64)
        shape = (len(self.lines) - 1, len(self.text))
        return _table(ones, self.order.astype(np.int64), self.lines, shape)


@dataclass(frozen=True, eq=False)
class States:
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


@dataclass(frozen=True, eq=False)
class Segmentation:
    """One system's tokens for all distinct words of a corpus.

    State `s` is word number `word[s]` cut into the tokens `row[s]` to `row[s + 1]` of `ids`,
    `starts` and `ends` (byte positions inside the word). An id of -1 is a token that the
    vocabulary does not hold; bytes under no token were dropped. `restored` tells whether decoding
    the ids gave the word back.
    """

    words: Words
    vocabulary: Vocabulary
    word: Ints
    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints
    restored: Flags

    def __len__(self) -> int:
        """Count the states."""
        return len(self.word)

    @cached_property
    def tokens(self) -> Ints:
        """Tokens of each state, tokens without text included."""
        return np.diff(self.row)

    @cached_property
    def chars(self) -> Ints:
        """Code points of each state's word."""
        return self.words.chars[self.word]

    @cached_property
    def bytes(self) -> Ints:
        """UTF-8 bytes of each state's word."""
        return self.words.bytes[self.word]

    @cached_property
    def known(self) -> Flags:
        """Whether each token has an id and is neither `unknown` nor special."""
        known = self.ids >= 0
        if self.vocabulary.unproduced:
            known &= ~np.isin(self.ids, sorted(self.vocabulary.unproduced))
        return known

    @cached_property
    def with_text(self) -> Flags:
        """Whether each token covers any text; a bare mark does not."""
        return self.ends > self.starts

    @cached_property
    def unknown_tokens(self) -> Ints:
        """Tokens of each state that are not known."""
        return self.sum_tokens(~self.known)

    @cached_property
    def unknown_chars(self) -> Ints:
        """Code points of each state that stand, wholly or in part, under no known token."""
        unknown = self.chars.copy()
        clean = (self.unknown_tokens == 0) & (self.dropped == 0)
        unknown[clean] = 0
        for state in np.flatnonzero(~clean):
            first, last = self.row[state], self.row[state + 1]
            covered = np.zeros(self.bytes[state], dtype=bool)
            for token in range(first, last):
                if self.known[token]:
                    covered[self.starts[token] : self.ends[token]] = True
            starts = char_starts(self.words.text[self.word[state]])
            unknown[state] -= int(np.logical_and.reduceat(covered, starts).sum())
        return unknown

    @cached_property
    def dropped(self) -> Ints:
        """Bytes of each state's word that no token covers."""
        return self.bytes - self.sum_tokens(self.ends - self.starts)

    @cached_property
    def oov(self) -> Flags:
        """Whether each state holds a token that is not known, or drops text."""
        return (self.unknown_tokens > 0) | (self.dropped > 0)

    @cached_property
    def kept_whole(self) -> Flags:
        """Whether each state writes its word by one known token that drops nothing."""
        whole = self.with_text & self.known & (self.ends - self.starts == self.bytes[self.state_of])
        one = np.equal(self.sum_tokens(self.with_text), 1)
        return one & np.equal(self.sum_tokens(whole), 1)

    @cached_property
    def state_of(self) -> Ints:
        """The state that each token belongs to."""
        return np.repeat(np.arange(len(self)), self.tokens)

    @cached_property
    def histogram(self) -> "sparse.csr_array":
        """How often each state (row) uses each token id (column); the last bin is unknown."""
        unknown = len(self.vocabulary.tokens)
        bins = np.where(self.known, self.ids, unknown)
        ones = np.ones(len(bins), dtype=np.int64)
        return _table(ones, bins, self.row, (len(self), unknown + 1))

    @cached_property
    def token_lengths(self) -> Ints:
        """Code points of each token of the vocabulary, marks removed; 1 for a byte token."""
        lengths = [len(Marks.strip(token)) for token in self.vocabulary.tokens]
        for byte_token in self.vocabulary.bytes:
            lengths[byte_token] = 1
        return np.array(lengths, dtype=np.int64)

    def sum_tokens(self, values: NDArray[np.generic]) -> Ints:
        """Add up one number a token to one number a state."""
        sums: Ints = np.concatenate(([0], np.cumsum(values, dtype=np.int64)))
        by_state: Ints = sums[self.row[1:]] - sums[self.row[:-1]]
        return by_state

    def sum_lines(self, values: NDArray[np.generic]) -> Ints:
        """Add up one number a state to one number a line of the running text."""
        by_word = np.bincount(self.word, weights=values, minlength=len(self.words))
        by_line: Ints = np.rint(self.words.by_line @ by_word).astype(np.int64)
        return by_line

    def boundaries(self, state: int) -> frozenset[int]:
        """Give the byte positions inside the word at which a token with text begins or ends."""
        rows = slice(self.row[state], self.row[state + 1])
        text = self.with_text[rows]
        cuts = {*self.starts[rows][text].tolist(), *self.ends[rows][text].tolist()}
        return frozenset(cuts - {0, int(self.bytes[state])})

    def pieces(self, state: int) -> list[str]:
        """Give a state's tokens as text for people, each spelled with its marks.

        An unknown token shows the text that it stands for; bytes that are no whole characters
        show as U+FFFD.
        """
        raw = self.words.text[self.word[state]].encode("utf-8", "surrogatepass")
        rows = range(self.row[state], self.row[state + 1])
        return self.vocabulary.marks.show_all(
            [
                self.vocabulary.tokens[self.ids[i]]
                if self.known[i]
                else raw[self.starts[i] : self.ends[i]].decode("utf-8", "replace")
                for i in rows
            ]
        )


def _table(values: Ints, columns: Ints, rows: Ints, shape: tuple[int, int]) -> "sparse.csr_array":
    """Add up values by row and column; `rows` holds where each row begins."""
    # SciPy costs a quarter of a second, which commands that only read text need not pay.
    from scipy import sparse

    # Without a copy, adding up duplicates could write into `rows`.
    table = sparse.csr_array((values, columns, rows), shape=shape, copy=True)
    table.sum_duplicates()
    return table


def char_starts(word: str) -> Sequence[int]:
    """Give the byte position at which each code point of a word begins."""
    starts, position = [], 0
    for char in word:
        starts.append(position)
        position += byte_length(char)
    return starts
