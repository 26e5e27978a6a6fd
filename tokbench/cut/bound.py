"""A segmenter bound to one vocabulary: the one door through which tokens come, always checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from tokbench.api import LineTokens, Segmenter, Splitter, TextSegmenter, Timeline, Token, Vocabulary
from tokbench.api.segmentation import ends_before, known_tokens
from tokbench.api.words import Ints, byte_lengths
from tokbench.cut.checks import Spelling, checked_lines, checked_states, checked_words, refuse
from tokbench.cut.splitting import SplitWords
from tokbench.cut.timeline import (
    batches_of_bytes,
    batches_of_states,
    join,
    states_of_cuts,
    token_totals,
)
from tokbench.errors import BrokenPromiseError, cropped


@dataclass(frozen=True, eq=False)
class BoundSegmenter:
    """A segmenter bound to one vocabulary. Its methods take many texts and return arrays.

    Each raises BrokenPromiseError where the segmenter returns what its interface does not allow.
    """

    segmenter: Segmenter
    vocabulary: Vocabulary

    @cached_property
    def prepared(self) -> Any:
        """The object that the segmenter prepared for the vocabulary, when it is first needed."""
        return self.segmenter.prepare(self.vocabulary)

    @property
    def cuts_lines(self) -> bool:
        """Whether it cuts whole lines, and words as lines of their own."""
        return isinstance(self.segmenter, TextSegmenter)

    @property
    def has_states(self) -> bool:
        """Whether it may know every state of a word: by fixed cuts, or by a timeline of its own."""
        return self.segmenter.fixed_cuts or type(self.segmenter).timeline is not Segmenter.timeline

    @cached_property
    def spelling(self) -> Spelling:
        """The bytes that each token of the vocabulary stands for."""
        return Spelling.of(self.vocabulary)

    def tokens(self, texts: Sequence[str], few: bool = False) -> LineTokens:
        """Cut words that each stand alone; their tokens cover them.

        A `few` are cut one by one: for them alone, to set up a timeline would take longer.
        """
        if few or self.segmenter.fixed_cuts:
            return self.cut(texts)[1]
        learned, found = len(self.vocabulary.learned), []
        for begin, end in batches_of_states(texts, 0):
            # Of each word the last state is wanted.
            states = self.states(texts[begin:end], learned)
            if states is None:
                return self.cut(texts)[1]
            starts = ends_before(states.row, states.ends)
            found.append(LineTokens(states.row, states.ids, starts, states.ends))
        return join(found)

    def alone(
        self, texts: Sequence[str], splitter: Splitter | None = None, few: bool = False
    ) -> LineTokens:
        """Cut texts that each stand alone: as lines, as words, or as a splitter's pieces."""
        if splitter is not None:
            parts = SplitWords.of(texts, splitter)
            return parts.tokens(self.tokens(parts.text, few))
        if not self.cuts_lines:
            return self.tokens(texts, few)
        return join([self.lines(texts[a:b]) for a, b in batches_of_bytes(byte_lengths(texts))])

    def cut(self, texts: Sequence[str]) -> tuple[list[Sequence[Token]], LineTokens]:
        """Cut words one by one: the tokens as the segmenter gives them, and as arrays."""
        given = list(self.segmenter.segment_many(texts, self.prepared))
        tokens = checked_words(given, texts, self.vocabulary)
        if self.segmenter.fixed_cuts:
            for token in chain.from_iterable(given):
                if not isinstance(token, str):
                    what = f"its cuts are fixed, so that its tokens are texts, not {cropped(token)}"
                    raise BrokenPromiseError(what)
        return given, tokens

    def lines(self, lines: Sequence[str]) -> LineTokens:
        """Cut whole lines; raises TypeError unless the segmenter `cuts_lines`."""
        if not isinstance(self.segmenter, TextSegmenter):
            raise TypeError("a segmenter of words cannot cut lines")
        return checked_lines(
            self.segmenter.segment_lines(lines, self.prepared), lines, self.vocabulary
        )

    def states(self, texts: Sequence[str], since: int) -> Timeline | None:
        """Return every state of words from `since` learned items on; None where it knows none.

        Known tokens spell the bytes that they cover.
        """
        if not self.has_states:
            return None
        if self.segmenter.fixed_cuts:
            return states_of_cuts(self.cut(texts)[1], self.vocabulary, since)
        given = self.segmenter.timeline(texts, self.prepared, since)
        if given is None:
            return None
        size = byte_lengths(texts)
        states = checked_states(given, texts, size, self._totals, since)
        word = np.repeat(states.word, np.diff(states.row))
        starts = ends_before(states.row, states.ends)
        utf8 = np.frombuffer("".join(texts).encode("utf-8", "surrogatepass"), dtype=np.uint8)
        first = (np.cumsum(size) - size)[word] + starts
        known = known_tokens(states.ids, self.vocabulary)
        alike = self.spelling.spelled(utf8, first, states.ends - starts, states.ids, known)
        refuse(known & ~alike, word, texts, "tokens of {} do not cover it")
        return states

    def decode(self, row: Ints, ids: Ints) -> list[str]:
        """Return the text of each row of ids; row `i` has `ids[row[i]:row[i + 1]]`."""
        rows = [ids[first:last].tolist() for first, last in pairwise(row.tolist())]
        texts = [*self.segmenter.decode_many(rows, self.vocabulary)]
        wrong = [text for text in texts if not isinstance(text, str)]
        if wrong:
            raise BrokenPromiseError(f"decode gave {cropped(wrong[0])}, not a str")
        return texts

    @cached_property
    def _totals(self) -> Ints:
        return token_totals(self.vocabulary)
