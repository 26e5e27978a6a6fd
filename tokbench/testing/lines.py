"""The promises of segmenters that cut whole lines."""

from tokbench.api import TextSegmenter, Vocabulary
from tokbench.api.text import encodable
from tokbench.testing.cutter import cutters
from tokbench.testing.offers import Subject
from tokbench.testing.promise import each_input, expect, expect_same, short
from tokbench.testing.samples import HARD_LINES, LINES

ALL = (*LINES, *HARD_LINES)


def offsets(subject: Subject[TextSegmenter]) -> None:
    """Check that offsets lie inside the line, never fall, and that no token is a special one.

    Text that spells a special token is ordinary text.
    """
    for cutter in cutters(subject):
        inside = [f"low {text} a{text}b" for text in cutter.special]
        for line in (*LINES, *cutter.special, *inside):
            with each_input():
                cutter.cut_lines([line])


def hard_unicode(subject: Subject[TextSegmenter]) -> None:
    """Check the same of lines full of odd characters, and of none at all."""
    for cutter in cutters(subject):
        for line in HARD_LINES:
            with each_input():
                cutter.cut_lines([line])
        cutter.cut_lines([])


def together(subject: Subject[TextSegmenter]) -> None:
    """Check that a line is cut alike alone, among others, among others in turn, and twice."""
    for cutter in cutters(subject):
        alone = {line: cutter.cut_lines([line])[0] for line in ALL}
        for lines in (ALL, ALL[::-1], (*LINES, *LINES)):
            for line, tokens in zip(lines, cutter.cut_lines(lines), strict=True):
                with each_input():
                    what = f"{cutter.what_lines([line])} among {len(lines)} lines"
                    expect_same(what, tokens, alone[line], "as alone")


def decodes(subject: Subject[TextSegmenter]) -> None:
    """Check that a line decodes to itself, if the vocabulary holds all bytes; else no claim.

    A space may be put before it, and a lone surrogate be read as U+FFFD.
    """
    for cutter in cutters(subject):
        if not _has_all_bytes(cutter.vocabulary):
            continue
        for line in (line for line in ALL if line == encodable(line)):
            with each_input():
                ids = [i for i, _, _ in cutter.cut_lines([line])[0]]
                what = f"the ids {short(ids)} of {cutter.what_lines([line])} to decode"
                text = cutter.text_of(ids)
                expect(text in (line, f" {line}"), what, text, repr(line))


def _has_all_bytes(vocabulary: Vocabulary) -> bool:
    ids = (vocabulary.ids.get(chr(byte)) for byte in range(256))
    return vocabulary.units == "bytes" and all(
        i is not None and i not in vocabulary.unproduced for i in ids
    )
