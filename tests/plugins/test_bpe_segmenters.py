"""The segmenters against their plain definitions, and by hand."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank, FewestTokens, LongestMatch
from tokbench_bpe.textbook import merge_list
from tokbench_word import WordLearner

from tests.cutting import of_merges
from tokbench.api import InputError, Learned, Marks, Segmenter, Size, Vocabulary
from tokbench.api.text import EOW


def segment(segmenter: Segmenter, word: str, vocabulary: Vocabulary) -> list[str]:
    return [str(token) for token in segmenter.segment(word, segmenter.prepare(vocabulary))]


def table(*merges: str, **marks: Any) -> Vocabulary:
    """Import merges in their order."""
    return of_merges([merge.split(" ") for merge in merges], Marks.model_validate(marks))


def by_rank(word: str, vocabulary: Vocabulary) -> list[str]:
    """Merge by the textbook: look for the lowest rank in the whole word, merge it, look again."""
    pairs = [item.parts for item in vocabulary.learned]
    symbols = vocabulary.marks.spell(word)
    while ranks := [pairs.index(p) for p in pairwise(symbols) if p in pairs]:
        left, right = pairs[min(ranks)]
        symbols = merge_list(symbols, (left, right), Marks.join((left, right)))
    return symbols


def in_order(word: str, vocabulary: Vocabulary) -> list[str]:
    """Merge by the textbook: each learned item once, in order."""
    symbols = vocabulary.marks.spell(word)
    for item in vocabulary.learned:
        left, right = item.parts
        symbols = merge_list(symbols, (left, right), Marks.join(item.parts))
    return symbols


texts = st.text("ab", min_size=1, max_size=12)
tables = st.lists(
    st.tuples(st.text("ab", min_size=1, max_size=3), st.text("ab", min_size=1, max_size=3)),
    max_size=8,
).map(lambda pairs: Vocabulary.build("ab", [Learned(pair) for pair in pairs]))


@given(texts, tables)
def test_both_orders_equal_their_plain_definitions(word: str, vocabulary: Vocabulary) -> None:
    assert segment(BpeRank(), word, vocabulary) == by_rank(word, vocabulary)
    assert segment(BpeLearnedOrder(), word, vocabulary) == in_order(word, vocabulary)


@given(
    st.dictionaries(texts, st.integers(1, 3), max_size=5),
    st.sampled_from(["absent", "fused", "separate", "fenced"]),
    st.sampled_from(["absent", "fused", "separate", "fenced"]),
    st.sampled_from(["absent", "fused", "display"]),
    st.lists(st.text("abc", min_size=1, max_size=12), max_size=4),
)
def test_both_orders_are_equal_for_learned_vocabularies(
    words: dict[str, int], eow: str, bow: str, continuation: str, unseen: Sequence[str]
) -> None:
    learner = Bpe.configure(eow=eow, bow=bow, continuation=continuation)
    *_, trained = [{}, *(step.words for step in learner.trace(words, Size(learned=20)))]
    vocabulary = learner.learn(words, Size(learned=20))
    for word in [*words, *unseen]:
        tokens = segment(BpeRank(), word, vocabulary)
        assert segment(BpeLearnedOrder(), word, vocabulary) == tokens
        assert Marks.strip(Marks.join(tokens)) == word
    if trained:
        # Training words come out as training left them.
        assert [tuple(segment(BpeRank(), word, vocabulary)) for word in words] == list(trained)


def test_orders_differ_where_a_merge_stands_before_its_parts() -> None:
    vocabulary = table("ab c", "a b")
    assert segment(BpeRank(), "abc", vocabulary) == ["abc"]
    assert segment(BpeLearnedOrder(), "abc", vocabulary) == ["ab", "c"]


def test_items_that_join_other_than_two_parts_are_passed_over() -> None:
    parts = [("ab",), ("a", "b", "c"), ("", "a"), ("a", ""), ("b", "c")]
    items = [Learned(item) for item in parts]
    vocabulary = Vocabulary.build("abc", items)
    assert segment(BpeRank(), "abc", vocabulary) == ["a", "bc"]


@pytest.mark.parametrize("segmenter", [BpeRank(), BpeLearnedOrder()])
def test_a_vocabulary_of_longer_tokens_without_merges_is_refused(segmenter: Segmenter) -> None:
    vocabulary = Vocabulary(tokens=("<unk>", "a", "b", "a" + EOW, "low" + EOW), unknown=0)
    message = "no merges, so that bpe could not build its token 'low</w>': use longest-match or"
    with pytest.raises(InputError, match=message):
        segmenter.prepare(vocabulary)
    # Nothing is to be built here: single letters, parts that no merge builds, byte tokens.
    for tokens, fields in (
        (("<unk>", "a", "b", "a" + EOW), {"unknown": 0}),
        (("ab", "c"), {"alphabet": ("ab", "c")}),
        (("<0x41>", "c"), {"bytes": {0: 0x41}}),
    ):
        segmenter.prepare(Vocabulary(tokens=tokens, **fields))


def test_what_was_learned_otherwise_than_by_merges_is_refused() -> None:
    """Items of one part are no merges: BPE would leave single letters, as if they were meant."""
    vocabulary = WordLearner().learn({"low": 5, "lower": 2}, Size(total=24))
    assert vocabulary.learned
    with pytest.raises(InputError, match="no merges, so that bpe could not build its token"):
        BpeRank().prepare(vocabulary)


def test_longest_match_by_hand() -> None:
    vocabulary = Vocabulary(tokens=("a", "b", "c", "ab", "abcd", "bc"))
    assert segment(LongestMatch(), "abcabcd", vocabulary) == ["ab", "c", "abcd"]
    assert segment(LongestMatch(), "xabx", vocabulary) == ["x", "ab", "x"]


@pytest.mark.parametrize("segmenter", [LongestMatch(), FewestTokens()])
def test_special_unknown_and_byte_tokens_are_not_looked_for(segmenter: Segmenter) -> None:
    tokens = ("<s>", "<unk>", "<0x41>", "<", "s", ">")
    vocabulary = Vocabulary(tokens=tokens, special=(0,), unknown=1, bytes={2: 0x41})
    assert segment(segmenter, "<s>", vocabulary) == ["<", "s", ">"]
    assert segment(segmenter, "<unk>", vocabulary) == ["<", "u", "n", "k", ">"]
    assert len(segment(segmenter, "<0x41>", vocabulary)) == 6


@given(
    st.lists(st.text("ab", min_size=1, max_size=4), max_size=6, unique=True),
    st.sampled_from(["absent", "fused", "separate", "fenced"]),
    st.sampled_from(["absent", "fused"]),
    st.text("abc", min_size=1, max_size=9),
)
def test_longest_match_equals_its_definition(
    words: list[str], eow: str, continuation: str, word: str
) -> None:
    learner = Bpe.configure(eow=eow, continuation=continuation)
    vocabulary = learner.learn(dict.fromkeys(words, 1), Size(learned=9))
    symbols = vocabulary.marks.spell(word)
    expected = []
    while symbols:
        ends = range(len(symbols), 0, -1)
        end = next((e for e in ends if Marks.join(symbols[:e]) in vocabulary.ids), 1)
        expected.append(Marks.join(symbols[:end]))
        symbols = symbols[end:]
    assert segment(LongestMatch(), word, vocabulary) == expected
