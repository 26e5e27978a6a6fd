"""The bytes that tokens write: they add up to a text, where its tokens give it back."""

from tokbench.api import Segmenter, TextSegmenter
from tokbench.api.segmentation import known_tokens
from tokbench.cut import BoundSegmenter
from tokbench.cut.written import WrittenBytes
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import HARD, HARD_LINES, LINES, PLAIN
from tokbench.testing.subject import Subject, Usable, Vocabularies, usable


def bytes_add_up(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that known tokens write as many bytes as a text has, if they decode to it.

    Where text is changed, to lower case for example, nothing is promised. A space that is put
    before a line is no change.
    """
    for one in usable(subject, vocabularies, Usable):
        bound = BoundSegmenter(one.segmenter, one.vocabulary)
        by_line = isinstance(one.segmenter, TextSegmenter)
        with checking(f"the vocabulary of {one.name}"):
            written = WrittenBytes.of(bound)
        for text in (*LINES, *HARD_LINES) if by_line else (*PLAIN, *HARD):
            what = f"{short(repr(text))} and the vocabulary of {one.name}"
            with checking(what):
                found = bound.lines([text]) if by_line else bound.tokens([text])
                (decoded,) = bound.decode(found.row, found.ids)
                (account,) = written.account([text])
            known = known_tokens(found.ids, one.vocabulary).all()
            if known and decoded in (text, f" {text}"):
                right = f"{account.size}: see `tokbench bytes`"
                expect(account.adds_up, what, f"tokens of {account.written} bytes", right)
