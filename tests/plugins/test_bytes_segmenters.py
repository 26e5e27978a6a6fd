"""Segmenters with vocabularies of bytes: words cut between bytes, lines cut by a pattern."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.segmenters import (
    BpeLearnedOrder,
    BpeRank,
    FewestTokens,
    LongestMatch,
    UnitSegmenter,
)
from tokbench_bytes.learner import ByteBpe
from tokbench_bytes.patterns import SplitName, compiled
from tokbench_bytes.segmenter import ByteBpeSegmenter

from tests.engines import using
from tests.timelines import by_cutting
from tokbench.api import Learned, Marks, Size, TextSegmenter, Vocabulary
from tokbench.api.text import to_bytes_text

SEGMENTERS = [BpeRank(), BpeLearnedOrder(), LongestMatch(), FewestTokens()]
ENGINES: list[Any] = ["python", *(["compiled"] if find_spec("tokbench_bpe._segment") else [])]
each_segmenter = pytest.mark.parametrize("segmenter", SEGMENTERS, ids=lambda s: type(s).__name__)

letters = st.one_of(
    st.sampled_from("aabé안 "),
    st.sampled_from("e\u0301\u200d\U0001f469\ud800\udfff\0\uffff\x80ÿ'\n"),
    st.characters(),
)
words_of = st.lists(st.text(letters, min_size=1, max_size=9), max_size=5)


@st.composite
def learned(draw: st.DrawFn) -> Vocabulary:
    words = draw(st.dictionaries(st.text(letters, min_size=1), st.integers(1, 3), max_size=6))
    return ByteBpe().learn(words, Size(learned=draw(st.integers(0, 15))))


@st.composite
def imported(draw: st.DrawFn) -> Vocabulary:
    """Merges in odd orders over some bytes only, so that others are unknown."""
    part = st.sampled_from([*"ab", "\xc3", "\xa9", "\xec", "\x95\x88", "ab", "\xc3\xa9", "aa"])
    items = draw(st.lists(st.tuples(part, part), max_size=9))
    alphabet = draw(st.lists(st.sampled_from("ab\xc3\xa9\xec\x95\x88"), unique=True))
    return Vocabulary.build(alphabet, map(Learned, items), units="bytes")


def cut(segmenter: UnitSegmenter, word: str, vocabulary: Vocabulary) -> list[Any]:
    return [*segmenter.segment(word, segmenter.prepare(vocabulary))]


@each_segmenter
@given(st.one_of(learned(), imported()), st.text(letters, min_size=1, max_size=12))
def test_tokens_are_those_of_the_same_merges_over_characters(
    segmenter: UnitSegmenter, vocabulary: Vocabulary, word: str
) -> None:
    # Latin-1 letters as characters: what the segmenters are tested with elsewhere.
    letters = Vocabulary.build(vocabulary.alphabet, vocabulary.learned)
    tokens = cut(segmenter, to_bytes_text(word), letters)
    assert cut(segmenter, word, vocabulary) == [(token, len(token)) for token in tokens]
    assert "".join(tokens) == to_bytes_text(word)


@each_segmenter
@given(st.one_of(learned(), imported()), words_of, st.integers(0, 15))
def test_states_equal_cutting_to_every_size(
    segmenter: UnitSegmenter, vocabulary: Vocabulary, words: list[str], since: int
) -> None:
    since = min(since, len(vocabulary.learned))
    expected = by_cutting(segmenter, words, vocabulary, since)
    for engine in ENGINES:
        with using(engine):
            states = segmenter.timeline(words, segmenter.prepare(vocabulary), since)
        for name, values in vars(expected).items():
            assert np.array_equal(getattr(states, name), values), (engine, name)


@each_segmenter
def test_a_character_cut_in_two_by_hand(segmenter: UnitSegmenter) -> None:
    # é is C3 A9, ê is C3 AA: the first bytes of both are one token, with the a before them.
    alphabet = [*"a\xc3\xa9\xaa"]
    vocabulary = Vocabulary.build(alphabet, [Learned(("a", "\xc3"))], units="bytes")
    assert cut(segmenter, "aéaê", vocabulary) == [
        ("a\xc3", 2),
        ("\xa9", 1),
        ("a\xc3", 2),
        ("\xaa", 1),
    ]
    states = segmenter.timeline(["aé", "ü"], segmenter.prepare(vocabulary))
    assert states.ids.tolist() == [0, 1, 2, 4, 2, 1, -1]
    assert states.ends.tolist() == [1, 2, 3, 2, 3, 1, 2]


def lines_cut(
    segmenter: TextSegmenter, lines: Sequence[str], vocabulary: Vocabulary
) -> list[list[tuple[int | None, int]]]:
    tokens = segmenter.segment_lines(lines, segmenter.prepare(vocabulary))
    return [*tokens.pairs(lines)]


@given(
    st.one_of(learned(), imported()),
    st.lists(st.text(letters, max_size=20), max_size=4),
    st.sampled_from(get_args(SplitName)),
)
def test_lines_are_their_pre_tokens_each_merged_as_a_word(
    vocabulary: Vocabulary, lines: list[str], split: SplitName
) -> None:
    expected = [
        [
            (vocabulary.ids.get(token, -1), length)
            for piece in compiled(split).findall(line)
            for token, length in cut(BpeRank(), piece, vocabulary)
        ]
        for line in lines
    ]
    for engine in ENGINES:
        with using(engine):
            assert lines_cut(ByteBpeSegmenter(split=split), lines, vocabulary) == expected, engine


def test_tokens_span_words_only_where_nothing_splits() -> None:
    vocabulary = Vocabulary.build([*"ab "], [Learned(("a", " "))], units="bytes")
    assert lines_cut(ByteBpeSegmenter(), ["a b"], vocabulary) == [[(0, 1), (2, 1), (1, 1)]]
    unsplit = ByteBpeSegmenter(split="none")
    assert lines_cut(unsplit, ["a b"], vocabulary) == [[(3, 2), (1, 1)]]


def test_text_in_characters_is_cut_by_the_pattern_too() -> None:
    vocabulary = Vocabulary.build(
        ["a", "b\ufdd1"],
        [Learned(("a", "b\ufdd1"))],
        marks=Marks.model_validate({"eow": "fused"}),
    )
    # The space is a letter of the second pre-token.
    assert lines_cut(ByteBpeSegmenter(), ["ab ab"], vocabulary) == [[(2, 2), (-1, 1), (2, 2)]]
