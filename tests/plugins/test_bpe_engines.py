"""The merge variants against each other, and the tie rules by hand."""

from collections.abc import Mapping
from importlib.util import find_spec
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import KERNELS, Bpe

from tests.engines import using
from tokbench.api import Learned, Marks, Size, Vocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW

# Few letters, so that pairs repeat and tie; among them all that a space-joined text, a regular
# expression or a spelled mark could trip over.
LETTERS = ["a", "b", " ", "\u00a0", "\u2028", "\n", "\t", "\0", "\\", "1", "g", "."]
LETTERS += ["<", "/", "w", ">", "_", "#", "▁", "\u0301", "\u200d", "👩", "가", "א", "\ue000"]
LETTERS += ["\ud800", "\udfff", "\U0010ffff", "\ufdd3"]
PIECES = [*LETTERS, "aa", "aaaa", "ab", "abab", "</w>", "##", "\\1", r"\g<0>", "(", "[^"]

hard_words = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
# Runs of one letter, in which every merge meets its own product.
runs = st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 17)), min_size=1, max_size=5).map(
    lambda parts: "".join(letter * times for letter, times in parts)
)
corpora = st.one_of(
    st.dictionaries(runs, st.integers(0, 3), max_size=6),
    st.dictionaries(hard_words, st.integers(1, 3), max_size=6),
)
edges = st.sampled_from(["absent", "fused", "separate", "fenced"])
texts = st.sampled_from(["</w>", "_", "a", "##", " ", "\\1"])
options = st.fixed_dictionaries(
    {
        "eow": st.builds(dict, kind=edges, text=texts),
        "bow": st.builds(dict, kind=edges, text=texts),
        "continuation": st.builds(
            dict, kind=st.sampled_from(["absent", "fused", "display"]), text=texts
        ),
        "ties": st.sampled_from(["greatest", "smallest", "first"]),
        "min-pair-count": st.integers(1, 3),
        "alphabet": st.builds(
            dict, coverage=st.sampled_from([1.0, 0.8, 0.5]), forms=st.sampled_from(["both", "seen"])
        ),
    }
)


each_variant = pytest.mark.parametrize("merge", ["indexed", "list", "regex", "replace"])


def learn(words: Mapping[str, int], learned: int = 99, **settings: Any) -> Vocabulary:
    learner = Bpe.configure(**settings)
    with using("python"):
        vocabulary = learner.learn(words, Size(learned=learned))
    if learner.merge == "indexed" and find_spec(KERNELS):
        with using("compiled"):
            assert learner.learn(words, Size(learned=learned)) == vocabulary
    return vocabulary


def merges(vocabulary: Vocabulary) -> list[str]:
    return [" ".join(map(vocabulary.marks.show, item.parts)) for item in vocabulary.learned]


@given(corpora, options)
def test_indexed_list_and_regex_are_equal(words: dict[str, int], chosen: dict[str, Any]) -> None:
    plain = learn(words, merge="list", **chosen)
    assert learn(words, merge="indexed", **chosen) == plain
    assert learn(words, merge="regex", **chosen) == plain


# Beyond 32 bits, and in sums of nearly 64.
@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=9),
        st.sampled_from([1, 2**31 - 1, 2**31, 2**40, 2**40 + 1, 2**57]),
        max_size=6,
    ),
    options,
)
def test_high_counts(words: dict[str, int], chosen: dict[str, Any]) -> None:
    assert learn(words, merge="indexed", **chosen) == learn(words, merge="list", **chosen)


def test_words_of_ten_thousand_letters() -> None:
    random = Random(0)
    words = {
        "a" * 10_000: 2,
        "ab" * 5_000: 1,
        "".join(random.choices("abc", k=10_000)): 3,
        "".join(random.choices("ab", k=9_999)): 1,
    }
    plain = learn(words, 40, merge="list", ties="first")
    assert learn(words, 40, ties="first") == plain
    assert len(plain.learned) == 40


@given(corpora, options, st.sampled_from(["indexed", "list", "regex", "replace"]))
def test_trace_replays_what_was_learned(
    words: dict[str, int], chosen: dict[str, Any], merge: str
) -> None:
    learner = Bpe.configure(merge=merge, **chosen)
    learned = learner.learn(words, Size(learned=9)).learned
    before, *steps = learner.trace(words, Size(learned=9))
    assert (before.number, before.candidates, before.chosen) == (0, {}, ())
    assert [(step.chosen, step.candidates[step.chosen]) for step in steps] == [
        (item.parts, item.count) for item in learned
    ]
    for step in (before, *steps):
        joined = [Marks.strip(Marks.join(word)) for word in step.words]
        assert dict(zip(joined, step.words.values(), strict=True)) == words


# aaaa with a fused mark: `a a` merges to `aa a a</w>`, but the plain text `a a a a</w>` also
# holds `a a` in its second half, where the right symbol is `a</w>`. No shorter corpus differs.
def test_smallest_case_where_replace_differs() -> None:
    assert merges(learn({"aaaa": 1}, merge="list")) == ["a a", "aa a", "aaa a</w>"]
    assert merges(learn({"aaaa": 1}, merge="replace")) == ["a a", "aa aa</w>"]


def test_replace_makes_symbols_that_no_merge_lists() -> None:
    # Without marks the shortest case has seven letters: `b ab` is also found in `ab ab`.
    vocabulary = learn({"ababbab": 1}, merge="replace", eow="absent")
    assert merges(vocabulary) == ["a b", "b ab", "abab bab"]
    assert vocabulary.tokens == ("a", "b", "ab", "bab", "ababbab")
    *_, last = Bpe.configure(merge="replace", eow="absent").trace({"ababbab": 1}, Size(learned=2))
    assert list(last.words) == [("abab", "bab")]


def test_pairs_are_counted_with_overlaps_and_merged_from_the_left() -> None:
    _, step = Bpe.configure(eow="absent").trace({"aaa": 2, "ab": 3}, Size(learned=1))
    assert step.candidates == {("a", "a"): 4, ("a", "b"): 3}
    assert list(step.words) == [("aa", "a"), ("a", "b")]


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("greatest", ["z x", "n m", "b a"]),
        ("smallest", ["b a", "n m", "z x"]),
        ("first", ["n m", "z x", "b a"]),
    ],
)
def test_ties(ties: str, expected: list[str]) -> None:
    words = {"nm": 2, "zx": 2, "ba": 2}
    assert merges(learn(words, ties=ties, eow="absent")) == expected


def test_greatest_compares_a_text_below_its_extension() -> None:
    # Of ("ab", "c") and ("a", "c") the first is greater, though c is above b; so with NUL.
    words = {"ab": 3, "abc": 1, "ac": 1}
    assert merges(learn(words, eow="absent")) == ["a b", "ab c", "a c"]
    words = {"a\0": 3, "a\0c": 1, "ac": 1}
    assert merges(learn(words, eow="absent")) == ["a \0", "a\0 c", "a c"]


def test_first_looks_at_what_is_still_present() -> None:
    # `b c` stands in the first word until `a b` is merged; then only behind `x y`.
    words = {"abc": 2, "abd": 3, "xy": 2, "bc": 2}
    vocabulary = learn(words, 5, ties="first", eow="absent")
    assert merges(vocabulary) == ["a b", "ab d", "ab c", "x y", "b c"]
    assert [item.count for item in vocabulary.learned] == [5, 3, 2, 2, 2]


@pytest.mark.parametrize(("text", "second"), [("</w>", "x ab"), ("|", "x a|")])
def test_ties_compare_spelled_marks(text: str, second: str) -> None:
    # `<` is below b and `|` above it, whatever noncharacter stands for the mark.
    words = {"abd": 1, "abe": 1, "abf": 1, "xabg": 2, "xa": 2}
    vocabulary = learn(words, 2, eow={"kind": "fused", "text": text})
    assert merges(vocabulary) == ["a b", second]


@pytest.mark.parametrize(
    ("ties", "letter", "right"), [("greatest", "x", "a" + EOW), ("smallest", "!", "a_")]
)
def test_equally_spelled_pairs_are_distinguished_by_their_raw_strings(
    ties: str, letter: str, right: str
) -> None:
    # Spelled, `a_` is a letter with its mark or the text's own `a_`; raw, the mark is greater.
    words = {letter + "a": 2, letter + "a_b": 2, "a_c": 1, "a_d": 1, "a_e": 1}
    vocabulary = learn(words, 2, ties=ties, eow={"kind": "fused", "text": "_"})
    assert [item.parts for item in vocabulary.learned] == [("a", "_"), (letter, right)]


@each_variant
def test_fused_continuation_drops_the_right_mark(merge: str) -> None:
    words = {"ab": 1, "xab": 1, "yab": 1}
    vocabulary = learn(words, merge=merge, eow="absent", continuation="fused")
    assert merges(vocabulary) == ["##a ##b", "y ##ab", "x ##ab", "a ##b"]
    assert vocabulary.tokens[-4:] == (CONTINUATION + "ab", "yab", "xab", "ab")


@each_variant
def test_a_rare_letter_is_never_merged(merge: str) -> None:
    words = {"aab": 9, "aaxb": 1}
    vocabulary = learn(words, merge=merge, eow="absent", alphabet={"coverage": 0.9})
    assert vocabulary.alphabet == ("a", "b")
    assert merges(vocabulary) == ["a a", "aa b"]


@each_variant
def test_words_without_pairs_give_the_alphabet(merge: str) -> None:
    assert learn({"a": 3, "b": 1}, merge=merge, eow="absent").tokens == ("a", "b")
    assert learn({}, merge=merge).tokens == ()
    assert learn({"": 3, "a": 0}, merge=merge, eow="separate").learned == ()


@each_variant
def test_a_word_without_letters_has_its_marks(merge: str) -> None:
    vocabulary = learn({"": 3, "ab": 1}, 1, merge=merge, bow="separate", eow="separate")
    assert vocabulary.learned == (Learned((BOW, EOW), 3),)
