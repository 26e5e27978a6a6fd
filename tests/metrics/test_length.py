import math
from dataclasses import replace

import numpy as np
import pytest

from tests.incontext import SHARED_FIRST, SHARED_REST, InContext
from tokbench.api.text import EOW

HELLO = {"Hello": ["Hello"], "world": ["w", "or", "ld"]}


def test_tokens_is_the_total_of_the_corpus_over_its_lines(segment, value, sums):
    cut = segment(HELLO, ["Hello world", "", "world world Hello"])
    assert value("tokens", cut) == 4 + 0 + 7
    assert sums("tokens", cut)["lines"] == 3


def test_tokens_by_state_add_up_to_those_of_the_lines(segment, metrics):
    cut = segment(HELLO, ["Hello world", "", "world world Hello"])
    counted = metrics["tokens"]().count_states(cut)
    assert {name: column.tolist() for name, column in counted.items()} == {"tokens": [1, 3]}
    assert cut.words.count @ counted["tokens"] == 4 + 0 + 7


def test_the_cost_of_a_line_is_no_sum_over_its_words(segment, metrics):
    cut = segment(HELLO, ["Hello world"])
    assert metrics["attention-cost"]().count_states(cut) is None
    fertility = metrics["fertility"]()
    assert fertility.count_states(cut).keys() == fertility.count(cut).keys()


def test_fertility_weighs_words_by_running_text(segment, value, sums):
    cut = segment(HELLO, ["Hello Hello Hello world"])
    assert value("fertility", cut) == pytest.approx(6 / 4)
    assert sums("fertility", cut)["words"] == 4


def test_a_token_of_two_words_is_one_token(segment, value):
    cut = segment({"New": ["New"], "York": ["York"]})
    order, size = cut.words.order, cut.words.line_chars
    part = np.array([SHARED_FIRST, SHARED_REST], dtype=np.int8)
    cut = replace(cut, context=InContext(order, part, np.zeros(1), size, size))
    assert value("fertility", cut) == 1 / 2
    assert value("chars-per-token", cut) == value("bytes-per-token", cut) == 7


def test_characters_and_bytes_are_those_of_the_words(segment, value):
    cut = segment({"안녕": ["안", "녕"], "né": ["n", "é"]}, ["안녕 안녕 né"])
    assert value("chars-per-token", cut) == pytest.approx(6 / 6)
    assert value("bytes-per-token", cut) == pytest.approx((6 + 6 + 3) / 6)


def test_bare_marks_are_tokens_without_characters(segment, value):
    cut = segment({"low": ["low", EOW]})
    assert value("fertility", cut) == 2
    assert value("chars-per-token", cut) == pytest.approx(3 / 2)
    assert value("bytes-per-token", cut) == pytest.approx(3 / 2)


def test_nothing_per_token_is_undefined_where_all_text_is_dropped(segment, value):
    cut = segment({"low": [(None, 3)]})
    assert value("fertility", cut) == 0
    assert math.isnan(value("chars-per-token", cut))
    assert math.isnan(value("bytes-per-token", cut))


def test_attention_costs_the_square_of_each_line(segment, value, sums):
    cut = segment(HELLO, ["Hello world", "world"])
    assert value("attention-cost", cut) == pytest.approx((4**2 + 3**2) / (10**2 + 5**2))
    assert sums("attention-cost", cut)["lines"] == 2


def test_attention_over_characters_costs_what_it_is_compared_with(segment, value):
    assert value("attention-cost", segment({"abc": list("abc"), "de": list("de")})) == 1


def test_attention_cost_of_no_characters_is_undefined(segment, value):
    assert math.isnan(value("attention-cost", segment({"a": ["a"]}, lines=["", ""])))


@pytest.mark.parametrize(
    ("word", "tokens", "fallen"),
    [
        ("low", ["l", "o", "w"], 1),
        ("low", ["lo", "w"], 0),
        ("low", ["low"], 0),
        ("low", ["l", "o", "w" + EOW], 1),
        ("low", ["l", "o", "w", EOW], 1),
        ("low", [("zz", 1), "o", "w"], 1),
        # A byte token covers less than a character; one across two characters covers two.
        ("é안", [("<C3>", 1), ("<A9>", 1), "안"], 1),
        ("é안", [("<C3>", 1), ("<A9EC>", 2), ("<9588>", 2)], 0),
        ("é안", ["é", ("<EC95>", 2), ("<88>", 1)], 1),
        ("low", ["l", (None, 2)], 1),
        ("low", [(None, 3)], 0),
        ("low", [EOW, (None, 3)], 0),
        ("\ud83d\ude00", ["\ud83d", "\ude00"], 1),
        ("\ud83d\ude00", ["\ud83d\ude00"], 0),
    ],
)
def test_a_word_falls_to_single_characters(segment, value, word, tokens, fallen):
    # The neighbour shows that each token is looked up in its own word.
    cut = segment({"안ab": ["안", "ab"], word: tokens}, [[word]])
    assert value("single-characters", cut) == fallen


def test_words_of_one_character_cannot_fall(segment, value, sums):
    cut = segment({"a": ["a"], "b": ["b"], "cd": ["c", "d"], "ef": ["ef"]}, ["a b b cd ef ef ef"])
    assert value("single-characters", cut) == pytest.approx(1 / 4)
    assert sums("single-characters", cut)["words"] == 4
    assert math.isnan(value("single-characters", segment({"a": ["a"]})))
