"""Unseen words, oov words, unknown tokens, unknown characters and words kept whole stay apart."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tokbench.api import Vocabulary
from tokbench.api.text import EOW


def test_unseen_words_look_at_the_training_text_only(segment, value):
    cut = segment({"low": ["low"], "new": ["n", "ew"]}, ["low low new"], train={"new": 3})
    assert value("unseen-words-running", cut) == pytest.approx(2 / 3)
    assert value("unseen-words-distinct", cut) == pytest.approx(1 / 2)


def test_oov_words_look_at_the_vocabulary_only(segment, value):
    cut = segment(
        {"low": ["low"], "new": ["n", "ew"]}, ["low new new"], {"new": 3}, vocabulary=["low", "n"]
    )
    assert value("oov-words-running", cut) == pytest.approx(2 / 3)
    assert value("oov-words-distinct", cut) == pytest.approx(1 / 2)


def test_the_unknown_and_special_tokens_are_not_known(segment, value):
    vocabulary = Vocabulary(("<unk>", "<s>", "a", "b"), special=(1,), unknown=0)
    tokens = {"ab": ["a", "b"], "ax": ["a", ("<unk>", 1)], "by": ["b", ("<s>", 1)]}
    cut = segment(tokens, ["ab ax by"], vocabulary=vocabulary)
    assert value("oov-words-running", cut) == pytest.approx(2 / 3)
    assert value("unknown-tokens", cut) == pytest.approx(2 / 6)
    assert value("unknown-characters", cut) == pytest.approx(2 / 6)


def test_one_unknown_token_hides_many_characters(segment, value):
    cut = segment({"low": ["l", "o", "w"], "zzzz": ["zzzz"]}, vocabulary=["l", "o", "w"])
    assert value("unknown-tokens", cut) == pytest.approx(1 / 4)
    assert value("unknown-characters", cut) == pytest.approx(4 / 7)


def test_dropped_text_is_unknown_without_a_token(segment, value):
    cut = segment({"café": ["caf", (None, 2)], "low": ["low"]}, ["café low low"])
    assert value("oov-words-running", cut) == pytest.approx(1 / 3)
    assert value("unknown-tokens", cut) == 0
    assert value("unknown-characters", cut) == pytest.approx(1 / 10)
    assert value("kept-whole-running", cut) == pytest.approx(2 / 3)


def test_a_character_with_one_unknown_byte_is_unknown(segment, value):
    # 안 is three bytes, of which the vocabulary lacks the second.
    cut = segment({"안a": [("<EC>", 1), ("<95>", 1), ("<88>", 1), "a"]}, vocabulary=["<EC>", "a"])
    assert value("unknown-tokens", cut) == pytest.approx(2 / 4)
    assert value("unknown-characters", cut) == pytest.approx(1 / 2)


def test_a_character_under_known_byte_tokens_is_known(segment, value):
    cut = segment({"안": [("<EC>", 1), ("<95>", 1), ("<88>", 1)]})
    assert value("unknown-characters", cut) == 0
    assert value("oov-words-running", cut) == 0
    assert value("kept-whole-running", cut) == 0


def test_a_character_under_a_known_and_an_unknown_token_is_known(segment, value):
    """SentencePiece makes 1⁄2 of ½, so that all three tokens stand for the one character."""
    one_after_another = segment({"½": [("1", 2), ("⁄", 0), ("2", 0)]}, vocabulary=["1", "2"])
    cut = replace(one_after_another, starts=np.array([0, 0, 0]), ends=np.array([2, 2, 2]))
    assert value("unknown-characters", cut) == 0
    assert value("oov-words-running", cut) == 1
    hidden = replace(cut, ids=np.array([-1, -1, -1]))
    assert value("unknown-characters", hidden) == 1


def test_kept_whole_counts_running_or_distinct_words(segment, value):
    cut = segment({"low": ["low"], "new": ["n", "ew"]}, ["low low low", "new"])
    assert value("kept-whole-running", cut) == pytest.approx(3 / 4)
    assert value("kept-whole-distinct", cut) == pytest.approx(1 / 2)


def test_a_bare_mark_does_not_break_a_word(segment, value):
    cut = segment({"low": ["low", EOW], "new": ["n", "ew" + EOW]})
    assert value("kept-whole-running", cut) == pytest.approx(1 / 2)
    assert value("unknown-tokens", cut) == 0


def test_an_unknown_word_is_neither_kept_whole_nor_continued(segment, value):
    """Rust et al. 2021 count words that are continued, so one [UNK] is not split."""
    cut = segment(
        {"low": ["low"], "new": ["n", "ew"], "odd": ["odd"]}, vocabulary=["low", "n", "ew"]
    )
    assert value("kept-whole-running", cut) == pytest.approx(1 / 3)
    assert value("continued-words", cut) == pytest.approx(1 / 3)


def test_shares_of_nothing_are_undefined(segment, value):
    cut = segment({"low": ["low"]}, lines=[""])
    for name in ("unseen-words-running", "oov-words-running", "kept-whole-running"):
        assert math.isnan(value(name, cut))
    assert math.isnan(value("unknown-tokens", cut))
    assert math.isnan(value("unknown-characters", cut))


def test_unknown_tokens_are_undefined_where_all_text_is_dropped(segment, value):
    cut = segment({"安": [(None, 3)]})
    assert math.isnan(value("unknown-tokens", cut))
    assert value("unknown-characters", cut) == 1
