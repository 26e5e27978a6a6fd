"""Words that a system's own splitter cuts into pieces; the tokens of pieces become those of words.

Each distinct piece is segmented once. A word changes its state when any of its pieces does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tokbench.api import Splitter
from tokbench.api.arrays import LineTokens, Timeline
from tokbench.api.words import Ints, byte_lengths, spans
from tokbench.corpora.words import split_words
from tokbench.cut.timeline import take, until_next


@dataclass(frozen=True, eq=False)
class SplitWords:
    """Words as pieces: word `w` consists of the texts numbered `number[row[w]:row[w + 1]]`."""

    text: tuple[str, ...]
    number: Ints
    row: Ints

    @classmethod
    def of(cls, words: Sequence[str], splitter: Splitter) -> "SplitWords":
        """Cut every word; raise BrokenPromiseError if the splitter fails."""
        numbers: dict[str, int] = {}
        number: list[int] = []
        row = [0]
        for pieces in split_words(words, splitter):
            number += [numbers.setdefault(piece, len(numbers)) for piece in pieces]
            row.append(len(number))
        return cls(tuple(numbers), np.array(number, dtype=np.int64), np.array(row, dtype=np.int64))

    def tokens(self, tokens: LineTokens) -> LineTokens:
        """Return the tokens of the words from those of the distinct pieces."""
        pieces = take(tokens, self.number)
        begins = np.repeat(self._begins, np.diff(pieces.row))
        starts, ends = pieces.starts + begins, pieces.ends + begins
        return LineTokens(pieces.row[self.row], pieces.ids, starts, ends)

    def states(self, states: Timeline) -> Timeline:
        """Return the states of the words from those of the distinct pieces."""
        span = int(states.until.max(initial=0)) + 1
        # A piece and a number of learned items make one number, so that one search serves all.
        keys = states.word * span + states.since
        word, since = self._changes(states, span)
        size = np.diff(self.row)[word]
        place = spans(self.row[word], size)
        wanted = self.number[place] * span + np.repeat(since, size)
        pieces = take(states, np.searchsorted(keys, wanted, side="right") - 1)
        begins = np.repeat(self._begins[place], np.diff(pieces.row))
        return Timeline(
            word=word,
            row=pieces.row[np.append(0, np.cumsum(size))],
            ids=pieces.ids,
            ends=pieces.ends + begins,
            since=since,
            until=until_next(word, since, span - 1),
        )

    def _changes(self, states: Timeline, span: int) -> tuple[Ints, Ints]:
        """Return each word with each number of learned items at which any piece of it changes."""
        first = np.searchsorted(states.word, np.arange(len(self.text) + 1))
        many = np.diff(first)[self.number]
        word = np.repeat(np.repeat(np.arange(len(self.row) - 1), np.diff(self.row)), many)
        since = states.since[spans(first[self.number], many)]
        changes = np.unique(word * span + since)
        return changes // span, changes % span

    @property
    def _begins(self) -> Ints:
        """The byte of its word at which each piece of each word begins."""
        size = byte_lengths(self.text)[self.number]
        begins = np.cumsum(size) - size
        return begins - np.repeat(begins[self.row[:-1]], np.diff(self.row))
