"""A segmenter with one vocabulary, whose errors name the word or line that it cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from unittest import SkipTest

import numpy as np

from tokbench.api import InputError, Marks, Segmenter, TextSegmenter, Token, Vocabulary
from tokbench.api.arrays import LineTokens
from tokbench.cut import BoundSegmenter
from tokbench.cut.checks import checked_lines, checked_words
from tokbench.testing.offers import Subject
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import ALL, HARD_LINES, LINES

IdSpans = Sequence[tuple[int, int, int]]
"""The tokens of a line: id, first byte, end."""


@dataclass(frozen=True, eq=False)
class Cutter(BoundSegmenter):
    """A segmenter bound to a vocabulary, which has a name in messages."""

    name: str

    @property
    def special(self) -> list[str]:
        """The texts that spell special tokens, 20 at most."""
        special = self.vocabulary.special[:20]
        return [text for i in special if (text := Marks.strip(self.vocabulary.tokens[i]))]

    def what(self, word: str) -> str:
        """Name a word in messages."""
        return f"the word {short(repr(word))} and the vocabulary of {self.name}"

    def what_lines(self, lines: Sequence[str]) -> str:
        """Name lines in messages."""
        which = f"the line {short(repr(lines[0]))}" if len(lines) == 1 else f"{len(lines)} lines"
        return f"{which} and the vocabulary of {self.name}"

    def cut_word(self, word: str) -> list[Token]:
        """Return the tokens of a word, unchecked."""
        with checking(self.what(word)):
            tokens = self.segmenter.segment(word, self.prepared)
            if not isinstance(tokens, list | tuple):  # a str's characters would pass for tokens
                checked_pairs(tokens, word, self.vocabulary)
            return list(tokens)

    def ids(self, word: str, tokens: Sequence[Token]) -> list[int]:
        """Return the ids of a word's tokens; check that they cover it, and that none is special."""
        with checking(self.what(word)):
            ids = [i for i, _ in checked_pairs(tokens, word, self.vocabulary)]
        self._expect_no_special(ids, self.what(word))
        return ids

    def cut_lines(self, lines: Sequence[str]) -> list[IdSpans]:
        """Return the tokens of each line; check their offsets, and that none is special."""
        what = self.what_lines(lines)
        with checking(what):
            segmenter: Any = self.segmenter
            unchecked = segmenter.segment_lines(lines, self.prepared)
            tokens = checked_lines(unchecked, lines, self.vocabulary)
        self._expect_no_special(tokens.ids, what)
        return tokens_by_line(tokens)

    def _expect_no_special(self, ids: Any, what: str) -> None:
        special = [self.vocabulary.tokens[i] for i in self.vocabulary.special if i in ids]
        expect(not special, what, special, "no special token")

    def text_of(self, ids: Sequence[int]) -> str:
        """Return the text of tokens."""
        what = f"the ids {short(ids)} to decode and the vocabulary of {self.name}"
        with checking(what):
            text = self.segmenter.decode(ids, self.vocabulary)
        expect(isinstance(text, str), what, text, "a str")
        return text


def cutters(subject: Subject[Segmenter]) -> Iterator[Cutter]:
    """Prepare a segmenter's vocabularies one after another, and yield each with the segmenter.

    A vocabulary that names another segmenter may be refused with an InputError, but not all.
    """
    refused: list[str] = []
    samples = subject.offers.vocabularies_for(subject.offer)
    for sample in samples:
        cutter = Cutter(subject.component, sample.vocabulary, str(sample.learner))
        with checking(f"the vocabulary of {sample.learner} to prepare"):
            try:
                _ = cutter.prepared
            except InputError as error:
                if sample.segmenter == subject.offer.name:
                    raise
                refused.append(f"{sample.learner}: {error}")
                continue
        yield cutter
    if len(refused) == len(samples):
        got = f"{len(refused)} refused ({refused[0]})" if refused else "no vocabulary"
        if lacking := subject.offers.without_files(subject.offer):
            raise SkipTest(f"got {got}; no `variants` give files for {', '.join(lacking)}")
        expect(False, "the learners on offer", got, "one to segment with")


def checked_pairs(
    tokens: Sequence[Token], word: str, vocabulary: Vocabulary
) -> list[tuple[int, int]]:
    """Return the id and end of a word's tokens; raises what is wrong with them."""
    checked = checked_words([tokens], [word], vocabulary)
    return list(zip(checked.ids.tolist(), checked.ends.tolist(), strict=True))


def tokens_by_line(tokens: LineTokens) -> list[IdSpans]:
    """Return the tokens of each line."""
    columns = (tokens.ids, tokens.starts, tokens.ends)
    rows = list(zip(*(np.asarray(column).tolist() for column in columns), strict=True))
    return [rows[begin:end] for begin, end in pairwise(np.asarray(tokens.row).tolist())]


def cut_samples(segmenter: Segmenter, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the tokens of the sample words, and lines if it cuts lines, by what was cut."""
    prepared = segmenter.prepare(vocabulary)
    cut: dict[str, Any] = {
        f"the word {short(repr(word))}": list(segmenter.segment(word, prepared)) for word in ALL
    }
    if isinstance(segmenter, TextSegmenter):
        lines = [*LINES, *HARD_LINES]
        rows = tokens_by_line(segmenter.segment_lines(lines, prepared))
        cut |= {f"the line {short(repr(line))}": row for line, row in zip(lines, rows, strict=True)}
    return cut
