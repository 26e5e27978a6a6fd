"""Text that nobody has vetted: what could move a cursor, reorder or hide other text is escaped."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.report.plain import one_line, printable

HARD = st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("\x00", r"\x00"),
        ("\t", r"\t"),
        ("\r", r"\r"),
        ("\x85", r"\x85"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\u202eevil\u202c", r"\u202eevil\u202c"),
        ("\u2066\u2069\u061c\u200f", r"\u2066\u2069\u061c\u200f"),
        ("a\u200bb\ufeffc\u2060", r"a\u200bb\ufeffc\u2060"),
        ("\ud800", r"\ud800"),
    ],
)
def test_what_moves_reorders_or_hides_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "low",
        "한국어",
        "e\u0301",
        "👩\u200d👩",
        "नी\u200cना",
        "a b",
        "a\u00a0b",
        "</w>",
        "\\",
        "`|*",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert printable(text) == text


def test_only_one_line_escapes_the_end_of_a_line() -> None:
    assert printable("a\nb") == "a\nb"
    assert one_line("a\nb") == r"a\nb"


@given(st.text(HARD | st.characters(), min_size=1))
def test_nothing_dangerous_is_left(text: str) -> None:
    shown = one_line(text)
    assert not {"Cc", "Cs", "Zl", "Zp"} & {unicodedata.category(char) for char in shown}
    assert shown.encode("utf-8")
