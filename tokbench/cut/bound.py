"""A segmenter bound to one vocabulary. All tokens come through it, and are checked here."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

from tokbench.api import Segmenter, Splitter, TextSegmenter, Token, Vocabulary
from tokbench.api.arrays import LineTokens, Timeline
from tokbench.api.words import Ints, byte_lengths
from tokbench.cut.checks import Spelling, checked_lines, checked_states, checked_words
from tokbench.cut.splitting import SplitWords
from tokbench.cut.timeline import (
    batches_of_bytes,
    batches_of_states,
    join,
    states_of_cuts,
)
from tokbench.errors import BrokenPromiseError, cropped

# One by one a word takes 20 µs, and with a timeline 2; to set one up for 4,000 tokens 8 ms.
FEW_WORDS = 500


@dataclass(frozen=True, eq=False)
class BoundSegmenter:
    """A segmenter bound to one vocabulary. Its methods take many texts and return arrays.

    They raise BrokenPromiseError if the segmenter returns anything that its interface forbids.
    """

    segmenter: Segmenter
    vocabulary: Vocabulary

    @cached_property
    def prepared(self) -> Any:
        """What the segmenter's `prepare` returns for the vocabulary."""
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

    def tokens(self, texts: Sequence[str]) -> LineTokens:
        """Cut words that each stand alone."""
        if len(texts) < FEW_WORDS or self.segmenter.fixed_cuts:
            return self.cut(texts)[1]
        batches = []
        for begin, end in batches_of_states(texts, 0):
            states = self.states(texts[begin:end], since=len(self.vocabulary.learned))
            if states is None:
                return self.cut(texts)[1]
            batches.append(LineTokens(states.row, states.ids, states.starts, states.ends))
        return join(batches)

    def alone(self, texts: Sequence[str], splitter: Splitter | None = None) -> LineTokens:
        """Cut texts that each stand alone, as lines or as words; a splitter cuts them first."""
        if splitter is not None:
            pieces = SplitWords.of(texts, splitter)
            return pieces.tokens(self.tokens(pieces.text))
        if not self.cuts_lines:
            return self.tokens(texts)
        return join([self.lines(texts[a:b]) for a, b in batches_of_bytes(byte_lengths(texts))])

    def cut(self, texts: Sequence[str]) -> tuple[list[Sequence[Token]], LineTokens]:
        """Cut words one by one; return their tokens as the segmenter does, and as arrays."""
        cuts = list(self.segmenter.segment_many(texts, self.prepared))
        tokens = checked_words(cuts, texts, self.vocabulary)
        if self.segmenter.fixed_cuts:
            for token in chain.from_iterable(cuts):
                if not isinstance(token, str):
                    what = f"its cuts are fixed, so that its tokens are texts, not {cropped(token)}"
                    raise BrokenPromiseError(what)
        return cuts, tokens

    def names(
        self, words: Sequence[str], splitter: Splitter | None = None
    ) -> list[list[str | None]]:
        """Return the texts of the tokens of words, marks included; a splitter cuts these first.

        None stands for a token without a text: dropped, or unknown.
        """
        if splitter is None:
            return [[*map(self._name, cut)] for cut in self.cut(words)[0]]
        pieces = SplitWords.of(words, splitter)
        names = [[*map(self._name, cut)] for cut in self.cut(pieces.text)[0]]
        of_words = (pieces.number[a:b].tolist() for a, b in pairwise(pieces.row.tolist()))
        return [[name for piece in word for name in names[piece]] for word in of_words]

    def _name(self, token: Token) -> str | None:
        text = token if isinstance(token, str) else token[0]
        if isinstance(text, int):
            return self.vocabulary.tokens[text] if text >= 0 else None
        return text

    def names_in_lines(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the texts of the tokens of whole lines; of an unknown one what it covers.

        Bytes of no whole character are U+FFFD. Raises what `lines` raises.
        """
        cut, tokens = self.lines(lines), self.vocabulary.tokens
        names = []
        for line, (begin, end) in zip(lines, pairwise(cut.row.tolist()), strict=True):
            data = line.encode("utf-8", "surrogatepass")
            columns = (array[begin:end].tolist() for array in (cut.ids, cut.starts, cut.ends))
            names.append(
                [
                    tokens[token] if token >= 0 else data[start:stop].decode(errors="replace")
                    for token, start, stop in zip(*columns, strict=True)
                ]
            )
        return names

    def lines(self, lines: Sequence[str]) -> LineTokens:
        """Cut whole lines; raise TypeError unless the segmenter `cuts_lines`."""
        if not isinstance(self.segmenter, TextSegmenter):
            raise TypeError("a segmenter of words cannot cut lines")
        tokens = self.segmenter.segment_lines(lines, self.prepared)
        return checked_lines(tokens, lines, self.vocabulary)

    def states(self, texts: Sequence[str], since: int) -> Timeline | None:
        """Return every state of words from `since` learned items on; None if it knows none.

        Unless cuts are fixed, known tokens have been found to spell the bytes that they cover.
        """
        if not self.has_states:
            return None
        if self.segmenter.fixed_cuts:
            return states_of_cuts(self.cut(texts)[1], self.vocabulary, since)
        states = self.segmenter.timeline(texts, self.prepared, since)
        if states is None:
            return None
        return checked_states(states, texts, since, self.spelling)

    def decode(self, row: Ints, ids: Ints) -> list[str]:
        """Return the text of each row of ids; row `i` has `ids[row[i]:row[i + 1]]`."""
        texts = [
            self.segmenter.decode(ids[first:last].tolist(), self.vocabulary)
            for first, last in pairwise(row.tolist())
        ]
        for text in texts:
            if not isinstance(text, str):
                raise BrokenPromiseError(f"decode gave {cropped(text)}, not a str")
        return texts
