"""Entropy efficiencies equal tokenization-scorer's."""

import json
import math

import pytest
import tokenization_scorer
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tokbench_metrics import tokbench_metrics

from tokbench.api import Vocabulary

# The texts of tokenization-scorer's own tests.
TEXTS = (
    "pick @@ed pick @@l @@ed pick @@les",
    "pick @@e @@d pick @@l @@e @@d pick @@l @@e @@s",
)


def tokens_as_words(text):
    """Make each token of a spaced text a word of its own."""
    return {token: [token] for token in text.split()}, [text]


@pytest.fixture(scope="module")
def golden(shared):
    lines = (shared / "golden" / "textbook_cases.jsonl").read_text(encoding="utf-8").splitlines()
    return next(c for c in map(json.loads, lines) if c["id"] == "tokenization-scorer")


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    ("name", "options", "key"),
    [
        ("renyi-efficiency-observed", {}, "renyi_efficiency@2.5"),
        ("renyi-efficiency-observed", {"power": 3.0}, "renyi_efficiency@3.0"),
        ("renyi-efficiency-observed", {"power": 1}, "shannon_efficiency"),
        ("shannon-efficiency-observed", {}, "shannon_efficiency"),
    ],
)
def test_golden_values(segment, value, golden, number, name, options, key):
    cut = segment(*tokens_as_words(golden["input"][f"text{number + 1}"]))
    assert value(name, cut, **options) == pytest.approx(golden["expected"][key][number], rel=1e-12)


# README of tokenization-scorer at power 2.5, corrected: the printed values are those of 3.0.
@pytest.mark.parametrize(
    ("text", "expected"), [*zip(TEXTS, (0.8265064834, 0.9204840242), strict=True)]
)
def test_the_default_power_is_two_and_a_half(segment, value, text, expected):
    cut = segment(*tokens_as_words(text))
    assert value("renyi-efficiency-observed", cut) == pytest.approx(expected, abs=1e-10)


def efficiencies(value, cut, power, **options):
    """Return what is observed and declared: Rényi's of a power, or Shannon's without one."""
    name, options = ("renyi", {"power": power, **options}) if power else ("shannon", options)
    return [value(f"{name}-efficiency-{of}", cut, **options) for of in ("observed", "declared")]


def of_scorer(text, power, vocab):
    """Return what the scorer gives for the types that it sees, and for so many types."""
    options = {"metric": "renyi", "power": power} if power else {"metric": "shannon_efficiency"}
    scores = (tokenization_scorer.score(text, **options, **of) for of in ({}, {"vocab": vocab}))
    return [pytest.approx(score, abs=1e-9) for score in scores]


# Power 1 is left to Shannon's: there the scorer reads its text twice, and finds it empty.
each_power = pytest.mark.parametrize("power", [None, 0.5, 2.5, 3.0])


@each_power
@given(tokens=st.lists(st.sampled_from("abcdefgh"), min_size=2).filter(lambda t: len({*t}) > 1))
def test_random_texts_equal_tokenization_scorer(segment, value, power, tokens):
    text = " ".join(tokens)
    cut = segment(*tokens_as_words(text), vocabulary=list("abcdefghijkl"))
    assert efficiencies(value, cut, power) == of_scorer(text, power, 13)


def test_all_that_is_not_known_is_one_type_more(segment, value):
    # x and y are not known, so the scorer is given one spelling for both, and 4 + 1 types.
    cut = segment(*tokens_as_words("a a a b x y"), vocabulary=list("abcd"))
    assert efficiencies(value, cut, 2.5) == of_scorer("a a a b ? ?", 2.5, 5)


def test_neither_unknown_nor_special_tokens_count_in_the_declared_vocabulary(segment, value):
    vocabulary = Vocabulary(("<unk>", "<s>", "a", "b", "c"), special=(1,), unknown=0)
    cut = segment(*tokens_as_words("a a b"), vocabulary=vocabulary)
    declared = tokenization_scorer.score("a a b", metric="shannon_efficiency", vocab=3 + 1)
    assert value("shannon-efficiency-declared", cut) == pytest.approx(declared, abs=1e-9)


def test_the_declared_vocabulary_is_the_same_for_every_text(segment, value):
    """Nothing here is unknown, but `안` could be: 2 tokens and one type more."""
    cut = segment(*tokens_as_words("a a a b"), vocabulary=["a", "b"])
    assert value("shannon-efficiency-declared", cut) == pytest.approx(
        tokenization_scorer.score("a a a b", metric="shannon_efficiency", vocab=3), abs=1e-9
    )


@pytest.mark.parametrize("units", ["characters", "bytes"])
def test_a_vocabulary_of_all_bytes_can_emit_nothing_unknown(segment, value, units):
    letters = [*map(chr, range(256))] if units == "bytes" else [f"<{i}>" for i in range(256)]
    by_id = {} if units == "bytes" else {i: i for i in range(256)}
    complete = Vocabulary((*letters, "ab"), bytes=by_id, units=units)
    lacking = Vocabulary(
        (*letters[:-1], "ab"), bytes={**by_id} | {255: 254} if by_id else {}, units=units
    )
    text = {"ab": ["ab"], "x": [(letters[120], 1)]}, ["ab ab x"]
    for vocabulary, types in ((complete, 257), (lacking, 257)):
        expected = tokenization_scorer.score("ab ab x", metric="shannon_efficiency", vocab=types)
        efficiency = value("shannon-efficiency-declared", segment(*text, vocabulary=vocabulary))
        assert efficiency == pytest.approx(expected, abs=1e-9)
    assert (complete.can_be_unknown, lacking.can_be_unknown) == (False, True)


@each_power
@given(tokens=st.lists(st.sampled_from("abcdé안"), min_size=2).filter(lambda t: len({*t}) > 1))
def test_unknown_tokens_apart_equal_tokenization_scorer(segment, value, power, tokens):
    """The scorer reads each text under an unknown token as a token of its own."""
    text = " ".join(tokens)
    cut = segment(*tokens_as_words(text), vocabulary=["a", "b"])
    assert efficiencies(value, cut, power, unknown="apart") == of_scorer(text, power, 3)


@pytest.mark.parametrize("name", ["renyi-efficiency-observed", "shannon-efficiency-observed"])
def test_one_observed_type_is_undefined(segment, value, name):
    assert math.isnan(tokenization_scorer.score("a a a", metric="renyi", power=2.5))
    assert math.isnan(value(name, segment({"a": ["a"]}, ["a a a"])))


@pytest.mark.parametrize("name", ["renyi-efficiency-declared", "shannon-efficiency-declared"])
def test_one_type_of_many_declared_has_efficiency_0(segment, value, name):
    efficiency = float(value(name, segment({"a": ["a"]}, ["a a a"], vocabulary=["a", "b"])))
    assert str(efficiency) == "0.0"  # and not -0.0


@pytest.mark.parametrize("name", sorted(n for n in tokbench_metrics() if "efficiency" in n))
def test_no_tokens_are_undefined(segment, value, name):
    cut = segment({"a": [(None, 1)], "b": ["b"], "c": ["c"]}, lines=["a a"])
    assert math.isnan(value(name, cut))


@pytest.mark.parametrize("name", sorted(n for n in tokbench_metrics() if "efficiency" in n))
def test_equally_frequent_tokens_have_efficiency_1(segment, value, name):
    for tokens in ("a b c", "a b c d e f g h i j k", "a a b b c c d d"):
        cut = segment(*tokens_as_words(tokens))
        types = len(cut.vocabulary.tokens)
        # One of the declared types is all that is not known, which these texts do not hold.
        declared = math.log(types) / math.log(types + 1)
        efficiency = value(name, cut)
        assert efficiency == pytest.approx(declared if "declared" in name else 1)
        assert efficiency <= 1


@pytest.mark.parametrize("name", ["renyi-efficiency-declared", "renyi-efficiency-observed"])
def test_a_high_power_gives_the_entropy_of_the_most_frequent_token(segment, value, name):
    # The limit is min-entropy: -log2 of the largest share, here 1/2, over log2 of the types.
    cut = segment(*tokens_as_words("a a b c"))
    types = 4 if "declared" in name else 3
    assert value(name, cut, power=100_000.0) == pytest.approx(1 / math.log2(types), rel=1e-4)


@pytest.mark.parametrize("power", [0, -1, math.inf, math.nan, "much"])
def test_the_power_is_a_positive_number(metrics, power):
    with pytest.raises(ValidationError, match="power"):
        metrics["renyi-efficiency-observed"].configure(power=power)


def test_the_power_stands_in_the_name_unless_it_is_the_default(metrics):
    metric = metrics["renyi-efficiency-declared"]
    assert metric.configure().describe("renyi") == "renyi"
    assert metric.configure(power=3).describe("renyi").startswith("renyi(power=3")
