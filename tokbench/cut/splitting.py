"""Words that a system's own splitter cuts into pieces, and tokens of pieces made tokens of words.

Each distinct piece is segmented once. A word's state lasts until any of its pieces changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tokbench.api import LineTokens, Splitter, Timeline
from tokbench.api.words import Ints, byte_lengths, spans
from tokbench.corpora.words import split_words
from tokbench.cut.timeline import take, until_next


@dataclass(frozen=True, eq=False)
class SplitWords:
    """Words as pieces: word `w` is made of the texts numbered `number[row[w]:row[w + 1]]`."""

    text: tuple[str, ...]
    number: Ints
    row: Ints

    @classmethod
    def of(cls, words: Sequence[str], splitter: Splitter) -> "SplitWords":
        """Cut every word; raises BrokenPromiseError where the splitter fails."""
        numbers: dict[str, int] = {}
        number: list[int] = []
        row = [0]
        for found in split_words(words, splitter):
            number += [numbers.setdefault(piece, len(numbers)) for piece in found]
            row.append(len(number))
        return cls(tuple(numbers), np.array(number, dtype=np.int64), np.array(row, dtype=np.int64))

    def tokens(self, found: LineTokens) -> LineTokens:
        """Return the tokens of the words from those of the distinct pieces."""
        pieces = take(found, self.number)
        begins = np.repeat(self._begins, np.diff(pieces.row))
        starts, ends = pieces.starts + begins, pieces.ends + begins
        return LineTokens(pieces.row[self.row], pieces.ids, starts, ends)

    def states(self, found: Timeline) -> Timeline:
        """Return the states of the words from those of the pieces, which have no gaps."""
        span = int(found.until.max(initial=0)) + 1
        # A piece and a number of learned items make one number, so that one look-up serves all.
        known = found.word * span + found.since
        word, since = self._changes(found, span)
        size = np.diff(self.row)[word]
        place = spans(self.row[word], size)
        wanted = self.number[place] * span + np.repeat(since, size)
        chosen = np.searchsorted(known, wanted, side="right") - 1
        pieces = take(found, chosen)
        begins = np.repeat(self._begins[place], np.diff(pieces.row))
        return Timeline(
            word=word,
            row=pieces.row[np.append(0, np.cumsum(size))],
            ids=pieces.ids,
            ends=pieces.ends + begins,
            since=since,
            until=until_next(word, since, span - 1),
        )

    def _changes(self, found: Timeline, span: int) -> tuple[Ints, Ints]:
        """Return each word with each number of learned items at which any piece of it changes."""
        first = np.searchsorted(found.word, np.arange(len(self.text) + 1))
        states = np.diff(first)[self.number]
        word = np.repeat(np.repeat(np.arange(len(self.row) - 1), np.diff(self.row)), states)
        since = found.since[spans(first[self.number], states)]
        changes = np.unique(word * span + since)
        return changes // span, changes % span

    @property
    def _begins(self) -> Ints:
        """The byte of its word at which each piece of each word begins."""
        size = byte_lengths(self.text)[self.number]
        begins = np.cumsum(size) - size
        return begins - np.repeat(begins[self.row[:-1]], np.diff(self.row))
