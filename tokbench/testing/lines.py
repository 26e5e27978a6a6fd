"""The promises of segmenters that cut whole lines."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tokbench.api import (
    LineTokens,
    Segmenter,
    TextSegmenter,
    Vocabulary,
    encodable,
)
from tokbench.cut.checks import checked_lines
from tokbench.testing.promise import (
    SegmenterCheck,
    Subject,
    Usable,
    Vocabularies,
    checking,
    expect,
    short,
    usable,
)
from tokbench.testing.samples import HARD_LINES, LINES

ALL = (*LINES, *HARD_LINES)


def offsets(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check that offsets lie inside the line, never fall, and that no token is a special one.

    Text that spells a special token is ordinary text.
    """
    for cutter in usable(subject, vocabularies, _LineCutter):
        inside = [f"low {text} a{text}b" for text in cutter.special]
        for line in (*LINES, *cutter.special, *inside):
            cutter.cut([line])


def hard_unicode(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check the same of lines full of odd characters, and of none at all."""
    for cutter in usable(subject, vocabularies, _LineCutter):
        for line in HARD_LINES:
            cutter.cut([line])
        cutter.cut([])


def together(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check that a line is cut alike alone, among others, among others in turn, and twice."""
    for cutter in usable(subject, vocabularies, _LineCutter):
        alone = {line: cutter.cut([line])[0] for line in ALL}
        for lines in (ALL, ALL[::-1], (*LINES, *LINES)):
            for line, tokens in zip(lines, cutter.cut(lines), strict=True):
                what = f"{cutter.what([line])} among {len(lines)} lines"
                expect(tokens == alone[line], what, tokens, f"{short(alone[line])} as alone")


def decodes(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check that a line decodes to itself, if the vocabulary holds all bytes; else no claim.

    A space may be put before it, and a lone surrogate be read as U+FFFD.
    """
    for cutter in usable(subject, vocabularies, _LineCutter):
        if not _has_all_bytes(cutter.vocabulary):
            continue
        for line in (line for line in ALL if line == encodable(line)):
            ids = [i for i, _, _ in cutter.cut([line])[0]]
            what = f"the ids {short(ids)} of {cutter.what([line])} to decode"
            with checking(what):
                text = subject.component.decode(ids, cutter.vocabulary)
            expect(text in (line, f" {line}"), what, text, repr(line))


CHECKS: Mapping[str, SegmenterCheck[TextSegmenter]] = {
    "lines": offsets,
    "lines of hard Unicode": hard_unicode,
    "lines together": together,
    "lines decode": decodes,
}


def cut_all(
    segmenter: Segmenter, vocabulary: Vocabulary, words: Sequence[str], lines: Sequence[str]
) -> list[list[Any]]:
    """Return the tokens of each word, and of each line where lines can be cut, all unchecked.

    The tokens of a line are (id, first byte, end).
    """
    prepared = segmenter.prepare(vocabulary)
    rows: list[list[Any]] = [list(segmenter.segment(word, prepared)) for word in words]
    if isinstance(segmenter, TextSegmenter):
        rows += _by_line(segmenter.segment_lines(lines, prepared))
    return rows


def _by_line(tokens: LineTokens) -> list[list[tuple[int, int, int]]]:
    columns = (tokens.ids, tokens.starts, tokens.ends)
    rows = list(zip(*(np.asarray(column).tolist() for column in columns), strict=True))
    return [rows[begin:end] for begin, end in pairwise(np.asarray(tokens.row).tolist())]


class _LineCutter(Usable):
    """Cuts lines; whatever the segmenter raises names the line."""

    def what(self, lines: Sequence[str]) -> str:
        which = f"the line {short(repr(lines[0]))}" if len(lines) == 1 else f"{len(lines)} lines"
        return f"{which} and the vocabulary of {self.name}"

    def cut(self, lines: Sequence[str]) -> list[list[tuple[int, int, int]]]:
        """Return each line's tokens, having checked their offsets and ids."""
        what = self.what(lines)
        with checking(what):
            unchecked = self.segmenter.segment_lines(lines, self.prepared)
            tokens = checked_lines(unchecked, lines, self.vocabulary)
        special = [self.vocabulary.tokens[i] for i in self.vocabulary.special if i in tokens.ids]
        expect(not special, what, short(special), "no special token")
        return _by_line(tokens)


def _has_all_bytes(vocabulary: Vocabulary) -> bool:
    ids = (vocabulary.ids.get(chr(byte)) for byte in range(256))
    return vocabulary.units == "bytes" and all(
        i is not None and i not in vocabulary.unproduced for i in ids
    )
