"""The segmenter `fewest-tokens` against its definition, the paper's algorithm, and by hand."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.segmenters import FewestTokens, LongestMatch

from tests.plugins.test_timeline import learned_vocabularies, odd_vocabularies
from tokbench.api import (
    Marks,
    Segmenter,
    Vocabulary,
)

LAST, FIRST = FewestTokens(), FewestTokens(ties="longest-first")
both_ties = pytest.mark.parametrize("segmenter", [LAST, FIRST], ids=["longest-last", "first"])


def cut(segmenter: Segmenter, word: str, vocabulary: Vocabulary) -> list[str]:
    tokens = segmenter.segment(word, segmenter.prepare(vocabulary))
    return [token if isinstance(token, str) else str(token[0]) for token in tokens]


def of(*tokens: str, **marks: Any) -> Vocabulary:
    return Vocabulary(tokens=tokens, marks=Marks.model_validate(marks))


def segmentations(symbols: Sequence[str], known: frozenset[str]) -> Iterator[list[list[str]]]:
    """Return every way to divide symbols into known tokens and single symbols."""
    if not symbols:
        yield []
    for end in range(1, len(symbols) + 1):
        if end == 1 or Marks.join(symbols[:end]) in known:
            for rest in segmentations(symbols[end:], known):
                yield [list(symbols[:end]), *rest]


def defined(word: str, vocabulary: Vocabulary, ties: str) -> list[str]:
    """Choose by the definition among all ways to divide a word."""
    left_out = vocabulary.unproduced.union(vocabulary.bytes)
    known = frozenset(t for i, t in enumerate(vocabulary.tokens) if i not in left_out)

    def key(parts: list[list[str]]) -> tuple[int, int, list[int]]:
        unknown = sum(Marks.join(part) not in known for part in parts)
        lengths = [-len(part) for part in parts]
        return unknown, len(parts), lengths if ties == "longest-first" else lengths[::-1]

    best = min(segmentations(vocabulary.marks.spell(word), known), key=key)
    return [Marks.join(part) for part in best]


def path_piece(text: str, vocabulary: frozenset[str]) -> list[str]:
    """Cut as PathPieceL of Schmidt et al. (2024): shortest ways forwards, then read backwards."""
    shortest, width = [0] + [10**9] * len(text), [0] * (len(text) + 1)
    for end in range(1, len(text) + 1):
        for wide in range(1, end + 1):
            if text[end - wide : end] in vocabulary and shortest[end - wide] + 1 <= shortest[end]:
                shortest[end], width[end] = shortest[end - wide] + 1, wide
    tokens, end = [], len(text)
    while end:
        tokens.append(text[end - width[end] : end])
        end -= width[end]
    return tokens[::-1]


words_of = st.text("aab\xe9\u0301\U0001f469\ud800", min_size=1, max_size=7)


@both_ties
@given(learned_vocabularies() | odd_vocabularies(), words_of)
def test_it_is_the_best_of_all_ways_to_divide_a_word(
    segmenter: FewestTokens, vocabulary: Vocabulary, word: str
) -> None:
    assert cut(segmenter, word, vocabulary) == defined(word, vocabulary, segmenter.ties)


@given(st.sets(st.text("abc", min_size=2, max_size=4)), st.text("abc", min_size=1, max_size=30))
def test_the_paper_s_algorithm_is_the_default(tokens: set[str], word: str) -> None:
    known = frozenset({"a", "b", "c", *tokens})
    assert cut(LAST, word, of(*sorted(known))) == path_piece(word, known)


def test_it_looks_ahead_where_longest_match_does_not() -> None:
    vocabulary = of("a", "b", "c", "d", "ab", "bcd")
    assert cut(LongestMatch(), "abcd", vocabulary) == ["ab", "c", "d"]
    assert cut(LAST, "abcd", vocabulary) == ["a", "bcd"]


def test_ties_take_the_longest_token_at_either_end() -> None:
    vocabulary = of("a", "b", "c", "d", "ab", "cd", "abc", "bcd")
    assert cut(LAST, "abcd", vocabulary) == ["a", "bcd"]
    assert cut(FIRST, "abcd", vocabulary) == ["abc", "d"]


@both_ties
def test_a_letter_is_unknown_only_where_it_must_be(segmenter: FewestTokens) -> None:
    # abc and an unknown d would be as few tokens as a and bcd.
    vocabulary = of("a", "abc", "bcd")
    assert cut(segmenter, "abcd", vocabulary) == ["a", "bcd"]
    assert cut(segmenter, "dabcd", vocabulary) == ["d", "a", "bcd"]
    # Two tokens less are no reason either.
    vocabulary = of("abcd", "a", "b", "c", "de")
    assert cut(segmenter, "abcde", vocabulary) == ["a", "b", "c", "de"]


def test_a_vocabulary_of_bytes() -> None:
    # 안 is EC 95 88: tokens may begin and end inside it.
    single = tuple(map(chr, range(256)))
    tokens = (*single, "\xec\x95", "\x95\x88a")
    vocabulary = Vocabulary(tokens=tokens, units="bytes")
    word = "안a"
    assert FewestTokens().segment(word, FewestTokens().prepare(vocabulary)) == [
        ("\xec", 1),
        ("\x95\x88a", 3),
    ]
    states = LAST.timeline([word, "\ud800", "안안"], LAST.prepare(vocabulary))
    assert states.ids.tolist() == [0xEC, 257, 0xED, 0xA0, 0x80, 256, 0x88, 256, 0x88]
    assert states.ends.tolist() == [1, 4, 1, 2, 3, 2, 3, 5, 6]
