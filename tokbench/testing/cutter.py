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
from tokbench.cut.checks import checked_words
from tokbench.testing.offers import Subject
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import ALL, HARD, HARD_LINES, LINES, PLAIN


@dataclass(frozen=True, eq=False)
class Cutter(BoundSegmenter):
    """A segmenter bound to a vocabulary, which has a name in messages.

    Its texts are words. If it cuts lines, they are lines, and words as lines of their own.
    """

    name: str

    @property
    def plain(self) -> tuple[str, ...]:
        """Usual texts."""
        return (*LINES, *PLAIN) if self.cuts_lines else PLAIN

    @property
    def hard(self) -> tuple[str, ...]:
        """Texts that plugins trip over."""
        return (*HARD_LINES, *HARD) if self.cuts_lines else HARD

    @property
    def special(self) -> list[str]:
        """Texts with the names of special tokens, 20 at most."""
        special = self.vocabulary.special[:20]
        names = [text for i in special if (text := Marks.strip(self.vocabulary.tokens[i]))]
        return [*names, *(f"low {text} a{text}b" for text in names if self.cuts_lines)]

    def what(self, text: str) -> str:
        """Name a text in messages."""
        kind = "line" if self.cuts_lines else "word"
        return f"the {kind} {short(repr(text))} and the vocabulary of {self.name}"

    def tokens_of(self, text: str) -> list[Any]:
        """Return the tokens of a word, unchecked; or of a line, checked: id, first byte, end."""
        with checking(self.what(text)):
            if self.cuts_lines:
                return tokens_by_line(self.lines([text]))[0]
            tokens = self.segmenter.segment(text, self.prepared)
            if not isinstance(tokens, list | tuple):  # a str's characters would pass for tokens
                checked_pairs(tokens, text, self.vocabulary)
            return list(tokens)

    def ids(self, text: str, tokens: Sequence[Any]) -> list[int]:
        """Return the ids of a text's tokens; check that they cover it, and that none is special."""
        with checking(self.what(text)):
            pairs = tokens if self.cuts_lines else checked_pairs(tokens, text, self.vocabulary)
            ids = [token[0] for token in pairs]
        special = [self.vocabulary.tokens[i] for i in self.vocabulary.special if i in ids]
        expect(not special, self.what(text), special, "no special token")
        return ids

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


def tokens_by_line(tokens: LineTokens) -> list[list[tuple[int, int, int]]]:
    """Return the id, the first byte and the end of the tokens of each line."""
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
