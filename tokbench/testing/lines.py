"""The promises of segmenters that cut whole lines."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tokbench.api import Marks, TextSegmenter, Vocabulary
from tokbench.cut.checks import checked_lines
from tokbench.testing.promise import Given, expect, short
from tokbench.testing.samples import HARD_LINES, LINES
from tokbench.testing.subject import Subject, usable

Vocabularies = Mapping[str, Vocabulary]
Check = Callable[[Subject[TextSegmenter], Vocabularies], None]
Tokens = list[tuple[int, int, int]]
"""The id, first byte and end of each token of a line."""

ALL = (*LINES, *HARD_LINES)
BYTES = 256
MOST_SPELLED = 20


def offsets(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check that offsets lie inside the line, never fall, and that no token is a special one.

    Text that spells a special token is ordinary text.
    """
    for cutter in _cutters(subject, vocabularies):
        spelled = [Marks.strip(cutter.vocabulary.tokens[i]) for i in cutter.vocabulary.special]
        special = [text for text in spelled[:MOST_SPELLED] if text]
        for line in (*LINES, *special, *(f"low {text} a{text}b" for text in special)):
            cutter.cut([line])


def hard_unicode(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check the same of lines full of odd characters, and of none at all."""
    for cutter in _cutters(subject, vocabularies):
        for line in HARD_LINES:
            cutter.cut([line])
        cutter.cut([])


def together(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check that a line is cut alike alone, among others, among others in turn, and twice."""
    for cutter in _cutters(subject, vocabularies):
        alone = {line: cutter.cut([line])[0] for line in ALL}
        for lines in (ALL, ALL[::-1], (*LINES, *LINES)):
            for line, tokens in zip(lines, cutter.cut(lines), strict=True):
                what = f"{cutter.what([line])} among {len(lines)} lines"
                expect(tokens == alone[line], what, tokens, f"{short(alone[line])} as alone")


def decodes(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> None:
    """Check that a line decodes to itself, if the vocabulary holds all bytes; else no claim.

    A space may be put before it, and a lone surrogate be read as U+FFFD.
    """
    for cutter in _cutters(subject, vocabularies):
        if not _has_all_bytes(cutter.vocabulary):
            continue
        for line in filter(_is_valid, ALL):
            ids = [i for i, _, _ in cutter.cut([line])[0]]
            what = f"the ids {short(ids)} of {cutter.what([line])} to decode"
            with Given(what):
                text = subject.component.decode(ids, cutter.vocabulary)
            expect(text in (line, f" {line}"), what, text, repr(line))


CHECKS: Mapping[str, Check] = {
    "lines": offsets,
    "lines of hard Unicode": hard_unicode,
    "lines together": together,
    "lines decode": decodes,
}


def cut_lines(segmenter: TextSegmenter, lines: Sequence[str], prepared: Any) -> list[Any]:
    """Give the tokens of each line as lists of (id, first byte, end), none of them checked."""
    found = segmenter.segment_lines(lines, prepared)
    rows = [np.asarray(column).tolist() for column in (found.ids, found.starts, found.ends)]
    tokens, row = list(zip(*rows, strict=True)), np.asarray(found.row).tolist()
    return [tokens[row[i] : row[i + 1]] for i in range(len(lines))]


class _Cutter:
    """A segmenter with one vocabulary; whatever it raises says for which line."""

    def __init__(
        self, segmenter: TextSegmenter, name: str, vocabulary: Vocabulary, prepared: Any
    ) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self._segmenter = segmenter
        self._prepared = prepared

    def what(self, lines: Sequence[str]) -> str:
        which = f"the line {short(repr(lines[0]))}" if len(lines) == 1 else f"{len(lines)} lines"
        return f"{which} and the vocabulary of {self.name}"

    def cut(self, lines: Sequence[str]) -> list[Tokens]:
        """Give each line's tokens, having checked their offsets and ids."""
        what = self.what(lines)
        with Given(what):
            given = self._segmenter.segment_lines(lines, self._prepared)
            found = checked_lines(given, lines, self.vocabulary)
        produced = [self.vocabulary.tokens[i] for i in self.vocabulary.special if i in found.ids]
        expect(not produced, what, short(produced), "no special token")
        rows = zip(found.ids.tolist(), found.starts.tolist(), found.ends.tolist(), strict=True)
        tokens, row = list(rows), found.row.tolist()
        return [tokens[row[i] : row[i + 1]] for i in range(len(lines))]


def _cutters(subject: Subject[TextSegmenter], vocabularies: Vocabularies) -> Iterator[_Cutter]:
    for name, vocabulary, prepared in usable(subject, vocabularies):
        yield _Cutter(subject.component, name, vocabulary, prepared)


def _has_all_bytes(vocabulary: Vocabulary) -> bool:
    held = (vocabulary.ids.get(chr(byte)) for byte in range(BYTES))
    return vocabulary.units == "bytes" and all(
        i is not None and i not in vocabulary.unproduced for i in held
    )


def _is_valid(line: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in line)
