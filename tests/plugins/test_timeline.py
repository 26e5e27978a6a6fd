"""The states of words equal cutting the vocabulary to every size and segmenting each word anew."""

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import pairwise, product
from operator import mul
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank, FewestTokens, LongestMatch
from tokbench_bytes.learner import ByteBpe
from tokbench_char import CharSegmenter
from tokbench_word import WordLearner, WordSegmenter
from tokbench_wordpiece.segmenter import WordPieceMatch

from tests.cutting import of_merges
from tests.engines import using
from tests.timelines import by_cutting
from tokbench.api import Learned, Learner, Marks, Segmenter, Size, Vocabulary
from tokbench.api.arrays import Timeline
from tokbench.api.text import BOW, CONTINUATION, EOW
from tokbench.cut import BoundSegmenter
from tokbench.cut.checks import checked_words
from tokbench.cut.timeline import states_of_cuts

SEGMENTERS = [BpeRank(), BpeLearnedOrder(), LongestMatch(), CharSegmenter(), WordSegmenter()]
FEWEST = [FewestTokens(), FewestTokens(ties="longest-first")]
ENGINES = ["python", *(["compiled"] if find_spec("tokbench_bpe._segment") else [])]

each_segmenter = pytest.mark.parametrize("segmenter", [*SEGMENTERS, *FEWEST], ids=repr)


def timeline(
    segmenter: Segmenter, engine: Any, words: Sequence[str], vocabulary: Vocabulary, since: int = 0
) -> Timeline:
    """Return what a segmenter itself says: the vocabularies here are odder than a run accepts."""
    with using(engine):
        prepared = segmenter.prepare(vocabulary)
        if segmenter.fixed_cuts:
            cuts = [*segmenter.segment_many(words, prepared)]
            return states_of_cuts(checked_words(cuts, words, vocabulary), vocabulary, since)
        states = segmenter.timeline(words, prepared, since)
    assert states is not None
    return states


def check(
    segmenter: Segmenter, words: Sequence[str], vocabulary: Vocabulary, since: int = 0
) -> None:
    """Compare the states of both engines with what every cut vocabulary gives."""
    expected = by_cutting(segmenter, words, vocabulary, max(since, 0))
    for engine in ENGINES:
        states = timeline(segmenter, engine, words, vocabulary, since)
        for name, values in vars(expected).items():
            column = getattr(states, name)
            assert column.dtype == np.int64
            assert column.tolist() == values.tolist(), (engine, name)


# No text may hold the marks themselves.
HARD = "ab\xe9e\u0301\u0939\u093f\uac00\U0001f469\u200d\u202e\0\n </w>_#\ud800\udfff\uffff\ufdd3"
letters = st.one_of(
    st.sampled_from("aab"),
    st.sampled_from(HARD),
    st.characters(exclude_characters=(BOW, EOW, CONTINUATION)),
)
words_of = st.lists(st.text(letters, min_size=1, max_size=9), max_size=5)
few = st.text("abc", min_size=1, max_size=12)
# Up to more letters than a row of ranks is made for.
easy_words = st.builds(
    mul, st.text("aabc\xe9\U0001f469", min_size=1, max_size=9), st.sampled_from([1, 1, 12, 40])
)
marks_of = st.builds(
    lambda bow, eow, continuation: {"bow": bow, "eow": eow, "continuation": continuation},
    *[st.sampled_from(["absent", "fused", "separate", "fenced"])] * 2,
    st.sampled_from(["absent", "fused", "display"]),
)


@st.composite
def learned_vocabularies(draw: st.DrawFn) -> Vocabulary:
    """Learn with any marks and tie rule, with letters that the coverage drops."""
    words = draw(st.dictionaries(st.one_of(few, st.text(letters, min_size=1)), st.integers(1, 3)))
    if draw(st.integers(0, 9)) == 0:
        return WordLearner().learn(words, Size(learned=9))
    learner = Bpe.configure(
        **draw(marks_of),
        ties=draw(st.sampled_from(["greatest", "smallest", "first"])),
        merge=draw(st.sampled_from(["indexed", "indexed", "replace"])),
        alphabet={"coverage": draw(st.sampled_from([1.0, 0.8])), "forms": "both"},
    )
    return learner.learn(words, Size(learned=draw(st.integers(0, 12))))


@st.composite
def imported_vocabularies(draw: st.DrawFn) -> Vocabulary:
    """Import merges in odd orders: parts built later or never, pairs and products again."""
    marks = Marks.model_validate(draw(marks_of))
    spelled = st.builds(
        lambda begin, text, end: begin + text + end,
        st.sampled_from(["", "", "", marks.bow.text, marks.continuation.text]),
        st.text("abc\xe9", min_size=1, max_size=3),
        st.sampled_from(["", "", "", marks.eow.text]),
    )
    alone = st.sampled_from([marks.bow.text, marks.eow.text])
    part = st.one_of(spelled, spelled, spelled, alone)
    merges = draw(st.lists(st.tuples(part, part), max_size=10))
    return of_merges(draw(st.permutations([*merges, *draw(again(merges))])), marks)


def again(merges: list[Any]) -> st.SearchStrategy[list[Any]]:
    """Choose some of them a second time."""
    return st.lists(st.sampled_from(merges), max_size=3) if merges else st.just([])


@st.composite
def odd_vocabularies(draw: st.DrawFn) -> Vocabulary:
    """Put together what no learner gives: items of other than two parts, special and byte tokens.

    Letters can be tokens from the beginning, by a learned item, or never.
    """
    marks = Marks.model_validate(draw(marks_of))
    symbols = [form for letter in "ab\xe9" for form in marks.forms(letter)] + [BOW, EOW]
    part = st.one_of(st.sampled_from(symbols), st.sampled_from(["ab", "ba", "aa", "", "ab" + EOW]))
    parts = st.one_of(st.tuples(part, part), st.lists(part, min_size=1, max_size=3).map(tuple))
    items = [Learned(item) for item in draw(st.lists(parts, max_size=10))]
    alphabet = draw(st.lists(st.sampled_from(symbols), unique=True))
    vocabulary = Vocabulary.build(alphabet, items, marks=marks)
    # What is special is there before anything is learned.
    special = draw(some_ids(len(alphabet)))
    return replace(
        vocabulary,
        special=tuple(special[:2]),
        unknown=special[-1] if special else None,
        bytes=dict.fromkeys(draw(some_ids(len(vocabulary.tokens))), 65),
    )


def some_ids(below: int) -> st.SearchStrategy[list[int]]:
    """Choose a few ids below a number."""
    return st.lists(st.integers(0, below - 1), max_size=3, unique=True) if below else st.just([])


def taken(segmenter: Segmenter, vocabulary: Vocabulary) -> bool:
    """Tell whether a segmenter takes every cut: merging refuses longer tokens without a merge."""
    merging = isinstance(segmenter, BpeRank | BpeLearnedOrder)
    return not (merging and vocabulary.learned and len(vocabulary.learned[0].parts) == 1)


@each_segmenter
@given(
    st.one_of(learned_vocabularies(), imported_vocabularies(), odd_vocabularies()),
    words_of,
    st.lists(easy_words, max_size=3),
    st.integers(0, 12),
)
def test_states_equal_cutting_to_every_size(
    segmenter: Segmenter, vocabulary: Vocabulary, hard: list[str], easy: list[str], since: int
) -> None:
    assume(taken(segmenter, vocabulary))
    check(segmenter, [*easy, *hard], vocabulary, min(since, len(vocabulary.learned)))


def test_the_textbook_word_by_word_and_merge_by_merge() -> None:
    # The README's merges: e s, es t, l o, lo w.
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    vocabulary = Bpe.configure(eow="fenced", ties="first").learn(words, Size(learned=4))
    expected = [
        "l o w e s t ",
        "l o w es t ",
        "l o w est ",
        "lo w est ",
        "low est ",
    ]
    for engine in ENGINES:
        states = timeline(BpeRank(), engine, ["lowest"], vocabulary)
        assert states.since.tolist() == [0, 1, 2, 3, 4]
        assert states.until.tolist() == [1, 2, 3, 4, 5]
        rows = [slice(a, b) for a, b in pairwise(states.row.tolist())]
        tokens = [[vocabulary.tokens[i] for i in states.ids[row]] for row in rows]
        assert [" ".join(map(Marks.strip, state)) for state in tokens] == expected
        assert states.ends[rows[-1]].tolist() == [3, 6, 6]


@each_segmenter
@pytest.mark.parametrize("since", [-1, 0, 3, 4])
def test_since_is_clipped_to_what_there_is(segmenter: Segmenter, since: int) -> None:
    parts = [("a", "b"), ("ab", "a"), ("b",)]
    check(segmenter, ["aba", "x"], Vocabulary.build("ab", map(Learned, parts)), since)


@each_segmenter
def test_no_words_and_words_in_a_tuple(segmenter: Segmenter) -> None:
    vocabulary = Bpe().learn({"abc": 2}, Size(learned=2))
    check(segmenter, [], vocabulary)
    check(segmenter, ("abc", "ab"), vocabulary)


@each_segmenter
def test_the_vocabulary_without_tokens_knows_nothing(segmenter: Segmenter) -> None:
    check(segmenter, ["ab", "\ud800"], Vocabulary(tokens=()))


@pytest.mark.parametrize(
    "segmenter",
    [*SEGMENTERS, FewestTokens(), WordPieceMatch()],
    ids=repr,
)
@pytest.mark.parametrize("learner", [Bpe(), Bpe.configure(eow="fenced"), ByteBpe()])
def test_words_are_cut_at_once_as_one_by_one(segmenter: Segmenter, learner: Learner) -> None:
    letters = ["a", "\xe9", "\U0001f469", "\ud800", "e\u0301"]
    words = ["".join(spelled) for size in range(1, 4) for spelled in product(letters, repeat=size)]
    vocabulary = learner.learn(dict.fromkeys(words[::3], 1), Size(learned=60))
    bound = BoundSegmenter(segmenter, vocabulary)
    at_once, one_by_one = bound.tokens(words), bound.cut(words)[1]
    for name, column in vars(one_by_one).items():
        assert getattr(at_once, name).tolist() == column.tolist(), name
