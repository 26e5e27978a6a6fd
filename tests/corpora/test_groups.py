"""Why words are unseen, and the warnings where a key of the config mends it."""

from unicodedata import normalize

import pytest

from tokbench.corpora.groups import UnseenKinds
from tokbench.corpora.load import load_corpora


@pytest.mark.parametrize("forms", [("NFC", "NFD"), ("NFD", "NFC")])
def test_words_in_another_normal_form(corpus, write, forms):
    """Texts of macOS file names are decomposed; so are the syllables of Korean there."""
    training, other = (normalize(form, "café 안녕 tea") for form in forms)
    kind = UnseenKinds(training.split())
    words = [*other.split()[:2], "thé"]
    assert [*map(kind, words)] == ["another-form", "another-form", "new-character"]
    train, test = corpus(write("train.txt", training)), corpus(write("test.txt", f"{other}\n"))
    read = load_corpora(train, {"held-out": test}, {}, {}, seed=0)
    (warning,) = read.warnings
    assert warning.startswith(
        "held-out: 2 running words are unseen only because the training text has them in another "
        f"Unicode normal form (first: {words[0]!r}, U+0063 U+0061 U+0066 U+"
    )
    assert warning.endswith(": set `normalise: [nfc]` for both texts")
    nfc = [corpus(path, normalise=["nfc"]) for path in (train.source.path[0], test.source.path[0])]
    read = load_corpora(nfc[0], {"held-out": nfc[1]}, {}, {}, seed=0)
    assert not read.tests[0].words.unseen.any()


def test_a_stem_has_two_syllables_or_three_characters():
    """An affix that ten pairs of training words have; jamo that stand alone are no syllables."""
    nouns = [
        "고양이",
        "강아지",
        "비행기",
        "자동차",
        "도서관",
        "운동장",
        "선생님",
        "할머니",
        "아저씨",
        "컴퓨터",
    ]
    kind = UnseenKinds([*nouns, *(f"{noun}는" for noun in nouns), "학교", "물", "ㅋㅋ", "ㅋㅋㅋ"])
    assert [*map(kind, ["학교는", "물는", "ㅋㅋ는", "ㅋㅋㅋ는"])] == [
        "affix",
        "other",
        "other",
        "affix",
    ]


COUNTED = "the\t90\ne-mail\t4\nDon't\t2\nstop,\t1\nit\t3\n"
"""As `tr ' ' '\\n' | sort | uniq -c` counts words."""


def test_counts_of_other_words(corpus, write):
    train = corpus(write("train.tsv", COUNTED), format="counts")
    path = write("test.txt", "the e-mail, it\n")
    tests = {"held-out": corpus(path), "spaced": corpus(path, splitter="whitespace")}
    (warning,) = load_corpora(train, tests, {}, {}, seed=0).warnings
    assert warning == (
        "held-out: its splitter, words, would cut 60.0 % of the counted words of the training "
        "text, such as 'e-mail', \"Don't\", 'stop,': these words cannot be seen; if words between "
        "spaces were counted, set `words: whitespace` for the test text"
    )


def test_few_counted_words_that_are_cut_are_no_fault(corpus, write):
    """Not more than 1 %: somebody's splitter may know an abbreviation."""
    counts = "".join(f"w{number}\t1\n" for number in range(99)) + "e.g.\t1\n"
    train = corpus(write("train.tsv", counts), format="counts")
    tests = {"t": corpus(write("t.txt", "w1"))}
    assert not load_corpora(train, tests, {}, {}, seed=0).warnings
    more = corpus(write("more.tsv", counts.replace("w0\t1\n", "")), format="counts")
    (warning,) = load_corpora(more, tests, {}, {}, seed=0).warnings
    assert " would cut 1.01 % of " in warning, "1.0 % would not be more than the limit"
