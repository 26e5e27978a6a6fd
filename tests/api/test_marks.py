"""Marks: spelling, joining, showing and reading back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tokbench.api import Marks
from tokbench.api.text import BOW, CONTINUATION, EOW, MARKS

LETTERS = st.characters(exclude_characters=MARKS)
KINDS = st.sampled_from(["absent", "fused", "separate", "fenced"])
ALL_MARKS = st.builds(
    lambda b, e, c: Marks.model_validate({"bow": b, "eow": e, "continuation": c}),
    KINDS,
    KINDS,
    st.sampled_from(["absent", "fused", "display"]),
)


def marks(**kinds: object) -> Marks:
    return Marks.model_validate(kinds)


@pytest.mark.parametrize(
    ("kinds", "word", "symbols"),
    [
        (marks(), "low", ["l", "o", "w"]),
        (marks(eow="fused"), "low", ["l", "o", "w" + EOW]),
        (marks(eow="separate"), "low", ["l", "o", "w", EOW]),
        (marks(bow="fused"), "low", [BOW + "l", "o", "w"]),
        (marks(bow="fenced", eow="fenced"), "low", [BOW, "l", "o", "w", EOW]),
        (marks(continuation="fused"), "low", ["l", CONTINUATION + "o", CONTINUATION + "w"]),
        (marks(continuation="display"), "low", ["l", "o", "w"]),
        (
            marks(bow="fused", eow="fused", continuation="fused"),
            "low",
            [BOW + "l", CONTINUATION + "o", CONTINUATION + "w" + EOW],
        ),
        (marks(bow="fused", eow="fused"), "a", [BOW + "a" + EOW]),
    ],
)
def test_spell_writes_each_kind_of_mark(kinds: Marks, word: str, symbols: list[str]) -> None:
    assert kinds.spell(word) == symbols


def test_joining_drops_the_continuation_mark_of_the_right_part() -> None:
    assert Marks.join(["h", CONTINUATION + "u", CONTINUATION + "g"]) == "hug"
    assert Marks.join([CONTINUATION + "u", CONTINUATION + "g"]) == CONTINUATION + "ug"


@given(st.text(LETTERS, min_size=1), ALL_MARKS)
def test_the_symbols_of_a_word_join_to_the_word(word: str, any_marks: Marks) -> None:
    assert Marks.strip("".join(any_marks.spell(word))) == word


@given(st.text(LETTERS, min_size=1, max_size=5), ALL_MARKS)
def test_every_symbol_is_a_form_of_its_letter_or_a_mark(word: str, any_marks: Marks) -> None:
    for symbol in any_marks.spell(word):
        assert symbol in any_marks.symbols or symbol in any_marks.forms(Marks.strip(symbol))


def test_forms_hold_a_letter_with_and_without_each_fused_mark() -> None:
    assert marks(eow="fused").forms("a") == ["a", "a" + EOW]
    assert len(marks(bow="fused", eow="fused").forms("a")) == 4
    assert marks(bow="separate", continuation="display").forms("a") == ["a"]
    assert marks(continuation="fused").forms("a") == ["a", CONTINUATION + "a"]


def test_show_spells_marks_and_show_display_adds_the_display_mark() -> None:
    report = marks(continuation="display")
    assert report.show_display(["g", "rown", "-"]) == ["g", "##rown", "##-"]
    assert marks(eow={"kind": "fused", "text": "_"}).show("er" + EOW) == "er_"


@pytest.mark.parametrize(
    "token", ["a", "est" + EOW, BOW + "a", CONTINUATION + "s", BOW + "a" + EOW]
)
def test_read_undoes_show(token: str) -> None:
    fused = marks(bow="fused", eow="fused", continuation="fused")
    assert fused.read(fused.show(token)) == token


def test_read_leaves_the_text_of_absent_marks_alone() -> None:
    assert marks().read("x</w>") == "x</w>"
    assert marks(eow="fused").read("</w>x") == "</w>x"


def test_fenced_marks_alone_are_fenced() -> None:
    assert marks(bow="separate", eow="fenced").fenced == {EOW}
    assert marks(bow="separate", eow="fenced").symbols == (BOW, EOW)


def test_a_text_without_a_kind_is_refused_since_it_would_mean_no_mark() -> None:
    with pytest.raises(ValidationError, match="a mark needs its kind too"):
        marks(eow={"text": "_"})
