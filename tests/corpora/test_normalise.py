import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import tiny_run
from tokbench.corpora.normalise import normaliser
from tokbench.corpora.source import Remove, Source
from tokbench.errors import InputError


def test_nothing_is_done_without_steps():
    assert normaliser(())("Ａ É\u0301") == "Ａ É\u0301"


def test_forms_of_unicode():
    text = "\u212b ﬁ e\u0301"
    normalised = {form: normaliser((form,))(text) for form in ("nfc", "nfd", "nfkc", "nfkd")}
    # The Angstrom sign and the ligature are the examples of Unicode Standard Annex 15.
    assert normalised == {
        "nfc": "\u00c5 ﬁ \u00e9",
        "nfd": "A\u030a ﬁ e\u0301",
        "nfkc": "\u00c5 fi \u00e9",
        "nfkd": "A\u030a fi e\u0301",
    }


def test_steps_are_taken_in_order():
    vowels = Remove(remove="[aeiou]")
    assert normaliser(("lowercase", vowels))("AdobE") == "db"
    assert normaliser((vowels, "lowercase"))("AdobE") == "adbe"


@given(st.text())
def test_the_treatment_of_the_textbook_experiment(text):
    source = Source.model_validate(
        {"path": "a.txt", "normalise": ["lowercase", {"remove": r"[^a-z\s]"}]}
    )
    # re and regex disagree about \s only on the information separators.
    plain = re.sub("[\x1c-\x1f]", "", text)
    assert normaliser(source.normalise)(plain) == re.sub(r"[^a-z\s]", "", plain.lower())


def test_a_pattern_that_never_ends_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench.corpora.normalise.PATTERN_SECONDS", 0.5)
    line = "a" * 60 + "!\n"
    corpora = "{train: {path: train.txt, normalise: [{remove: '(?:a|aa)+$'}]}, test: test.txt}"
    what = r"train\.txt:1: the pattern '\(\?:a\|aa\)\+\$' of `normalise` takes more than 0\.5 s on"
    with pytest.raises(InputError, match=what):
        tiny_run(tmp_path, texts={"train": line}, corpora=corpora)
