"""Laying out tokens as flat arrays, and refusing those that do not cover their word."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tokbench.api import EOW, Marks, Segmenter, Splitter, Token, Vocabulary
from tokbench.runner.pieces import pieces
from tokbench.runner.promises import BrokenPromiseError
from tokbench.runner.segmenting import segment

from .conftest import MakeWords

VOCABULARY = Vocabulary(
    tokens=("a", "b", "ab", "b" + EOW, "한", "<s>"),
    special=(5,),
    marks=Marks.model_validate({"eow": "fused"}),
)


class Fixed(Segmenter):
    """Gives the tokens that a test wants."""

    cuts: dict[str, Any]

    def segment(self, word: str, prepared: Any) -> Sequence[Token]:
        return self.cuts[word]


class Halves(Splitter):
    """Finds the letters b, so that what stands before belongs to the piece before."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i, letter in enumerate(text) if letter == "b"]


def test_tokens_become_ids_and_byte_positions(make_words: MakeWords) -> None:
    words = make_words("ab 한x ab")
    cut = {"ab": ["a", "b" + EOW], "한x": ["한", "x" + EOW]}
    seg = segment(words, VOCABULARY, Fixed(cuts=cut), VOCABULARY)
    assert seg.row.tolist() == [0, 2, 4]
    assert seg.ids.tolist() == [0, 3, 4, -1]
    assert seg.starts.tolist() == [0, 1, 0, 3]
    assert seg.ends.tolist() == [1, 2, 3, 4]
    assert seg.restored.tolist() == [True, False]
    assert seg.known.tolist() == [True, True, True, False]
    assert words.count.tolist() == [2, 1]
    assert seg.pieces(1) == ["한", "x"]


def test_pairs_cover_bytes_and_none_drops_them(make_words: MakeWords) -> None:
    cut = {"한a": [("b", 1), ("b", 2), (None, 1)]}
    seg = segment(make_words("한a"), VOCABULARY, Fixed(cuts=cut), VOCABULARY)
    assert seg.ids.tolist() == [1, 1]
    assert seg.ends.tolist() == [1, 3]
    assert seg.dropped.tolist() == [1]
    assert seg.unknown_chars.tolist() == [1]
    assert seg.oov.tolist() == [True]


def test_a_special_token_is_not_known(make_words: MakeWords) -> None:
    seg = segment(make_words("ab"), VOCABULARY, Fixed(cuts={"ab": [("<s>", 2)]}), VOCABULARY)
    assert seg.known.tolist() == [False]
    assert seg.kept_whole.tolist() == [False]


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (["a"], "the tokens ['a'] of 'ab' do not cover it: they join to 'a'"),
        (["b", "a"], "the tokens ['b', 'a'] of 'ab' do not cover it: they join to 'ba'"),
        ([("ab", 3)], "the tokens [('ab', 3)] of 'ab' do not cover it"),
        ([("ab", -1)], "('ab', -1) in 'ab' is neither a token nor a (token, bytes) pair"),
        ([7], "7 in 'ab' is neither a token nor a (token, bytes) pair"),
        ([], "the tokens [] of 'ab' do not cover it: they join to ''"),
    ],
)
def test_tokens_that_do_not_cover_the_word_are_refused(
    make_words: MakeWords, tokens: list[Any], message: str
) -> None:
    with pytest.raises(BrokenPromiseError) as caught:
        segment(make_words("ab"), VOCABULARY, Fixed(cuts={"ab": tokens}), VOCABULARY)
    assert str(caught.value) == message


def test_a_splitter_of_the_system_cuts_inside_the_word(make_words: MakeWords) -> None:
    cut = {"a": ["a"], "ba": ["b", "a"], "b": ["b"]}
    words = make_words("abab")
    seg = segment(words, VOCABULARY, Fixed(cuts=cut), VOCABULARY, Halves())
    assert seg.ids.tolist() == [0, 1, 0, 1]
    assert seg.boundaries(0) == {1, 2, 3}


@pytest.mark.parametrize(
    ("word", "expected"),
    [("abab", ["a", "ba", "b"]), ("b", ["b"]), ("aa", ["aa"]), ("bb", ["b", "b"])],
)
def test_pieces_partition_the_word(word: str, expected: list[str]) -> None:
    assert pieces(word, Halves()) == expected


def test_an_empty_corpus_of_tokens_has_no_rows(make_words: MakeWords) -> None:
    seg = segment(make_words("ab"), VOCABULARY, Fixed(cuts={"ab": [(None, 2)]}), VOCABULARY)
    assert seg.tokens.tolist() == [0]
    assert seg.histogram.shape == (1, 7)
    assert np.asarray(seg.sum_lines(seg.tokens)).tolist() == [0]
