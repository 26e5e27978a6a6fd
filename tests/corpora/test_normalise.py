import re
import unicodedata
from pathlib import Path

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import tiny_run
from tokbench.corpora.normalise import is_joint, normaliser
from tokbench.corpora.source import Remove, Source
from tokbench.errors import InputError

OF_CHARACTERS = [
    r"[^a-z\s]", r"[^a-z\s]+", r"\p{P}", r"\P{Greek}+", r"[\p{P}\d]", r"\W", r"[^\w'-]",
    r"[.,;!?]", r"[\]\[\\\-\^]", r"[\u2019\x41-]", r"[^ ]", r"[ \t]", r"[\n]", r"[^\n]", r"[é-ü]",
    r"[$.*+?(){}]", r"[^\p{L}\p{M} ]+", r"[#]",
]  # fmt: skip
OTHERS = [
    "", "a", "a?", "[a]?", "[a]*", "[a]{2}", "[ab][cd]", "[a]|[b]", "^[a]", "[a]$", "[a]+?",
    "[a]++", r"\b", r"\B", r"\A", r"\Z", r"\X", r"\R", r"\K", r"\G", r"\s$", r"(?i)[a]",
    "(?x)[a] ", "(?=[a])", "(?<=x)[a]", "[a](?!b)", "[[a]]", "[a&&b]", "[a||b]", "[a--b]",
    "[a~~b]", "[[:alpha:]]", "[:a:]", "[]", "[^]", "[]a]", "[^]a]", r"[\b]", r"[\Aa]", "[-]",
    r"[\N{DIGIT ONE}]", r"\L<words>", r"\1", "[a", ".", r"[\w-z]", "([a])", r"[\p{L]",
    r"\p{^Lu}", "[a]\n", r"\\w", r"\d\d",
]  # fmt: skip
PARTS = [
    r"\s", r"\w", r"\D", r"\p{L}", r"\P{M}", "a-z", "σ", "a", " ", ".", r"\.", r"\n", r"\u0301",
]  # fmt: skip
SETS = st.builds(
    lambda negated, parts, end: f"[{negated}{''.join(parts)}{end}",
    st.sampled_from(["", "^"]),
    st.lists(st.sampled_from(PARTS), min_size=1, max_size=3),
    st.sampled_from(["]", "-]", "]+"]),
)
TEXT = st.text(st.one_of(st.sampled_from("ab.é'- \t\r\n\x85\u0301\u2028σΣ한"), st.characters(
    exclude_categories=["Cs"]
)))  # fmt: skip


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


def removing(pattern: str):
    """Build the function that removes a pattern from joined lines; None where there is none."""
    steps = (Remove.model_construct(remove=pattern),)
    return normaliser(steps) if is_joint(steps) else None


@pytest.mark.parametrize("pattern", OTHERS)
def test_other_patterns(pattern):
    assert removing(pattern) is None


@given(pattern=st.one_of(st.sampled_from(OF_CHARACTERS), SETS), text=TEXT)
def test_joined_lines_lose_what_each_line_loses(pattern, text):
    lines = [regex.sub(pattern, "", line) for line in text.split("\n")]
    assert removing(pattern)(text).split("\n") == lines


@given(pattern=st.text(st.sampled_from(r"[]^-\sdwbAZ+*?|&~:a.(){}$<!=pLX1"), max_size=9), text=TEXT)
def test_whatever_passes_for_a_pattern_of_characters_is_one(pattern, text):
    try:
        regex.compile(pattern)
    except regex.error:
        return
    if removing(pattern) is None:
        return
    lines = [regex.sub(pattern, "", line) for line in text.split("\n")]
    assert removing(pattern)(text).split("\n") == lines


def test_a_pattern_that_never_ends_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokbench.corpora.normalise.PATTERN_SECONDS", 0.5)
    line = "a" * 60 + "!\n"
    corpora = "{train: {path: train.txt, normalise: [{remove: '(?:a|aa)+$'}]}, test: test.txt}"
    what = r"train\.txt:1: the pattern '\(\?:a\|aa\)\+\$' of `normalise` takes more than 0\.5 s on"
    with pytest.raises(InputError, match=what):
        tiny_run(tmp_path, texts={"train": line}, corpora=corpora)


@pytest.mark.nightly
@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_white_space_keeps_every_character_apart(form):
    """That ASCII white space composes with nothing: UnicodeData.txt, its own combining class 0."""
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    alone = [unicodedata.normalize(form, character) for character in every]
    for space in " \t\n\r\f\v":
        together = unicodedata.normalize(form, space.join(every))
        assert together == space.join(alone)
