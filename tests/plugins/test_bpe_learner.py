"""The learner's options, alphabet, sizes and promises."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tokbench_bpe.alphabet import Alphabet, letter_counts
from tokbench_bpe.learner import Bpe

from tests.engines import using
from tests.plugins.test_timeline import marks_of
from tokbench.api import Marks, Size, SizeError
from tokbench.api.text import BOW, CONTINUATION, EOW

LOW = {"low": 5, "lower": 2, "newest": 6, "widest": 3}

# All that UTF-8 needs one to four bytes for, lone surrogates and NUL among it.
LETTERS = ["a", "b", "\0", "é", "\u0301", "\ud800", "\udfff", "가", "\ufdd3", "👩", "\U0010ffff"]
hard_words = st.dictionaries(
    st.text(LETTERS, min_size=1, max_size=6), st.integers(1, 2**40), max_size=9
)


def symbols(words: dict[str, int], marks: dict[str, Any], **options: Any) -> tuple[str, ...]:
    return Alphabet.model_validate(options).symbols(
        letter_counts(words), Marks.model_validate(marks)
    )


def test_both_forms_of_each_letter_are_known() -> None:
    assert symbols({"ba": 1}, {}) == ("a", "b")
    assert symbols({"ba": 1}, {"eow": "fused"}) == ("a", "a" + EOW, "b", "b" + EOW)
    assert set(symbols({"a": 1}, {"eow": "fused", "bow": "fused"})) == {
        *("a", "a" + EOW, BOW + "a", BOW + "a" + EOW)
    }
    assert symbols({"a": 1}, {"continuation": "fused"}) == ("a", CONTINUATION + "a")
    assert symbols({"a": 1}, {"continuation": "display"}) == ("a",)


@pytest.mark.parametrize("forms", ["both", "seen"])
@pytest.mark.parametrize("kind", ["separate", "fenced"])
def test_a_mark_of_its_own_is_in_the_alphabet(kind: str, forms: str) -> None:
    marks = {"eow": kind, "bow": kind}
    assert symbols({"ba": 1}, marks, forms=forms) == ("a", "b", BOW, EOW)


def test_coverage_drops_the_rarest_letters() -> None:
    # a 5, b 2, c 2, d 1 of 10; of b and c the lower code point is kept first.
    words = {"ac": 2, "ab": 2, "ad": 1}
    assert symbols(words, {}, coverage=0.5) == ("a",)
    assert symbols(words, {}, coverage=0.51) == ("a", "b")
    assert symbols(words, {}, coverage=0.7) == ("a", "b")
    assert symbols(words, {}, coverage=0.9) == ("a", "b", "c")
    assert symbols(words, {}, coverage=1.0) == ("a", "b", "c", "d")
    assert symbols(words, {"eow": "fused"}, coverage=0.7, forms="seen") == ("a", "b" + EOW)


def test_a_size_below_the_alphabet_does_not_exist() -> None:
    learner = Bpe.configure(eow="absent")
    assert learner.learn(LOW, Size(total=10)).tokens == tuple("deilnorstw")
    assert learner.learn(LOW, Size(total=12)) == learner.learn(LOW, Size(learned=2))
    with pytest.raises(SizeError, match="size 9 is below the alphabet of 10 symbols") as caught:
        learner.learn(LOW, Size(total=9))
    assert caught.value.minimum == 10


def test_the_vocabulary_carries_marks_and_segmenter() -> None:
    learner = Bpe.configure(bow={"kind": "separate", "text": "^"}, continuation="display")
    vocabulary = learner.learn(LOW, Size(learned=1))
    assert vocabulary.marks == learner.marks
    assert vocabulary.marks.bow.text == "^"
    assert vocabulary.marks.eow.kind == "fused"
    assert vocabulary.segmenter == {"use": "bpe"}
    assert vocabulary.unknown is None


@pytest.mark.parametrize(
    "options",
    [
        {"merge": "fast"},
        {"min-pair-count": 0},
        {"min-pair-cuont": 2},
        {"ties": "last"},
        *({"alphabet": {"coverage": share}} for share in (0, -1, 1.1, float("nan"))),
    ],
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=next(iter(options))):
        Bpe.configure(**options)


@given(hard_words)
def test_letters_are_counted_by_their_place(words: dict[str, int]) -> None:
    counts: Counter[tuple[str, int]] = Counter()
    for word, count in words.items():
        for i, letter in enumerate(word):
            counts[letter, (i == 0) + 2 * (i == len(word) - 1)] += count
    assert letter_counts(words) == {
        letter: tuple(counts[letter, place] for place in range(4)) for letter, _ in counts
    }


@given(hard_words, marks_of, st.sampled_from([1.0, 0.8, 0.5]))
def test_the_seen_alphabet_is_what_words_are_spelled_with(
    words: dict[str, int], kinds: dict[str, str], coverage: float
) -> None:
    marks = Marks.model_validate(kinds)
    alphabet = Alphabet(coverage=coverage, forms="seen").symbols(letter_counts(words), marks)
    letters = {Marks.strip(symbol) for symbol in alphabet} - {""}
    spelled = {symbol for word in words for symbol in marks.spell(word)}
    assert alphabet == tuple(
        sorted({s for s in spelled if Marks.strip(s) in letters}.union(marks.symbols))
    )
    assert letters == {
        Marks.strip(s) for s in Alphabet(coverage=coverage).symbols(letter_counts(words), marks)
    } - {""}


@pytest.mark.parametrize(
    ("engine", "size"), [("python", Size(learned=2**64)), ("compiled", Size(total=2**64))]
)
def test_a_size_may_be_larger_than_any_list(engine: str, size: Size) -> None:
    with using(engine):
        assert len(Bpe().learn({"ab": 1}, size).learned) == 1
