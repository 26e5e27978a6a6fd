import math

import pytest

from tokbench.api import Vocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW


def test_vocabulary_use_counts_distinct_known_tokens(segment, value):
    vocabulary = ["l", "o", "w", "low", "new"]
    cut = segment({"low": ["low"], "lol": ["l", "o", "l"]}, ["low low lol"], vocabulary=vocabulary)
    assert value("vocabulary-use", cut) == pytest.approx(3 / 5)


def test_what_is_not_known_uses_no_vocabulary(segment, value):
    vocabulary = Vocabulary(("<unk>", "<s>", "a", "b"), special=(1,), unknown=0)
    tokens = {"ax": ["a", ("<unk>", 1)], "ay": ["a", "y"]}
    assert value("vocabulary-use", segment(tokens, vocabulary=vocabulary)) == pytest.approx(1 / 2)


def test_an_empty_vocabulary_has_no_use(segment, value):
    assert math.isnan(value("vocabulary-use", segment({"a": ["a"]}, vocabulary=[])))


def test_token_length_counts_each_type_once_without_marks(segment, value):
    tokens = {"lowest": [BOW + "low", CONTINUATION + "est" + EOW], "안녕": ["안", "녕"]}
    cut = segment(tokens, ["lowest 안녕 안녕 안녕"])
    assert value("token-length", cut) == pytest.approx((3 + 3 + 1 + 1) / 4)


def test_a_bare_mark_has_length_0_and_a_byte_token_1(segment, value):
    vocabulary = Vocabulary(("low", EOW, "<0x4C>"), bytes={2: 0x4C})
    cut = segment({"low": ["low", EOW], "L": [("<0x4C>", 1)]}, vocabulary=vocabulary)
    assert value("token-length", cut) == pytest.approx((3 + 0 + 1) / 3)


def test_token_length_leaves_out_unknown_tokens(segment, value):
    cut = segment({"low": ["lo", "w"]}, vocabulary=["lo"])
    assert value("token-length", cut) == 2
    assert math.isnan(value("token-length", segment({"low": ["low"]}, vocabulary=["x"])))
