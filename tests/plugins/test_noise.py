"""Generated noise: what each generator may change, on plain words and on any text."""

import unicodedata
from collections import Counter
from random import Random
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import installed
from tokbench.api import PairGenerator
from tokbench.api.component import Use

WORDS = st.text(st.characters(exclude_categories=("Z", "C")), min_size=4, max_size=12)
SEEDS = st.integers(0, 9)


def generator(use: str, **options: Any) -> PairGenerator:
    pair_generator = installed().build("pair generator", Use(use=use, **options))
    assert isinstance(pair_generator, PairGenerator)
    return pair_generator


def changes(use: str, word: str, draws: int = 2000, **options: Any) -> Counter[str | None]:
    pair_generator, random = generator(use, **options), Random(1)
    return Counter(pair_generator.change(word, random) for _ in range(draws))


SLIPS = {
    # Around g on the keyboard: t and y above, f and h beside, v and b below.
    "neighbour": {"ct", "cy", "cf", "ch", "cv", "cb", "xg", "vg", "dg", "fg"},
    "transposition": {"gc"},
    "doubling": {"ccg", "cgg"},
    "omission": {"c", "g"},
}


@pytest.mark.parametrize("slip", SLIPS)
def test_every_slip_of_a_typist_can_be_drawn_and_no_other(slip: str) -> None:
    assert {*changes("keyboard", "cg", slips=[slip])} == SLIPS[slip]


def test_slips_are_drawn_alike() -> None:
    drawn = changes("keyboard", "cg", draws=4000)
    for expected in SLIPS.values():
        assert 850 < sum(drawn[word] for word in expected) < 1150


def test_a_capital_stays_one_and_accents_stay_on_their_letter() -> None:
    capitals = changes("keyboard", "CG", slips=["neighbour"])
    assert capitals
    assert all(word and word.isupper() for word in capitals)
    assert {*changes("keyboard", "e\u0301a", slips=["transposition"])} == {"ae\u0301"}
    assert {*changes("keyboard", "aa", slips=["transposition"])} == {None}
    assert {*changes("keyboard", "한국", slips=["neighbour"])} == {None}


def test_a_look_alike_is_another_letter_of_the_same_look() -> None:
    """Latin a, c, e and o have Cyrillic twins (Unicode Technical Standard 39)."""
    assert {*changes("homoglyphs", "geo")} == {"gеo", "geо"}
    assert {*changes("homoglyphs", "gеo")} == {"geo", "gео"}
    assert {*changes("homoglyphs", "zzz")} == {None}


def test_look_alikes_are_of_another_script_and_as_large() -> None:
    for letter in "aceijopsxyABCEHIJKMOPSTXYZ":
        (twin,) = changes("homoglyphs", letter)
        assert twin
        assert unicodedata.name(twin).startswith(("CYRILLIC", "GREEK"))
        assert twin.isupper() == letter.isupper()


def test_diacritics_are_lost_or_gained() -> None:
    assert {*changes("diacritics", "naïveté")} == {"naivete"}
    assert {*changes("diacritics", "שָׁלוֹם")} == {"שלום"}
    assert {*changes("diacritics", "xox")} == {"xòx", "xóx", "xôx", "xõx", "xöx"}
    assert {*changes("diacritics", "xxx")} == {None}
    assert {*changes("diacritics", "naïve", only="gain")} == {None}
    assert {*changes("diacritics", "naive", only="loss")} == {None}


def test_case_is_changed_as_people_change_it() -> None:
    assert {*changes("case", "Word")} == {"WORD", "word", "wORD"}
    assert {*changes("case", "word")} == {"WORD", "Word"}
    assert {*changes("case", "한국어")} == {None}


@given(WORDS, SEEDS)
def test_a_slip_moves_adds_or_takes_one_letter(word: str, seed: int) -> None:
    changed = generator("keyboard").change(word, Random(seed))
    assert changed not in (None, "", word)
    before, after = (Counter(regex.findall(r"\X", w)) for w in (word, changed))
    joined = Counter(word), Counter(changed)
    few = sum(((before - after) + (after - before)).values()) <= 2
    assert few or joined[0] == joined[1], "letters may join anew where they meet"
