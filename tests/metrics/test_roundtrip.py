import math

import pytest


def test_round_trip_counts_the_running_words_given_back(segment, value):
    tokens = {"low": ["lo", "w"], "né": ["n", (None, 2)], "안": [("?", 3)]}
    cut = segment(tokens, ["low low low né 안"], vocabulary=["lo", "w", "n"])
    assert value("round-trip", cut) == pytest.approx(3 / 5)


def test_round_trip_of_nothing_is_undefined(segment, value):
    assert math.isnan(value("round-trip", segment({"low": ["low"]}, lines=[""])))
