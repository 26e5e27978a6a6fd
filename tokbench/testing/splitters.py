"""The promises of splitters."""

from collections.abc import Mapping

from tokbench.api import Splitter
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import TEXTS
from tokbench.testing.subject import Check, Subject


def spans(subject: Subject[Splitter]) -> None:
    """Check that words stand in order inside the text, not empty, without overlap."""
    for text in TEXTS:
        what, found = _split(subject, text)
        right = f"words in order, not empty, without overlap, up to {len(text)}"
        last = 0
        for start, end in found:
            got = f"({start}, {end}) after a word that ends at {last}"
            expect(last <= start < end <= len(text), what, got, right)
            last = end


def deterministic(subject: Subject[Splitter]) -> None:
    """Check that a text gives the same words whatever was split before."""
    first = {text: _split(subject, text)[1] for text in TEXTS}
    for text in reversed(TEXTS):
        what, again = _split(subject, text)
        expect(again == first[text], f"{what} a second time", again, f"{first[text]!r} as before")


def _split(subject: Subject[Splitter], text: str) -> tuple[str, list[tuple[int, int]]]:
    what = f"the text {short(repr(text))}"
    with checking(what):
        found = [(start, end) for start, end in subject.component.split(text)]
    return what, found


CHECKS: Mapping[str, Check[Splitter]] = {"spans": spans, "deterministic": deterministic}
