import math
from dataclasses import replace

import numpy as np
import pytest

from tokbench.api.segmentation import InContext


def test_round_trip_counts_the_running_words_given_back(segment, value):
    tokens = {"low": ["lo", "w"], "né": ["n", (None, 2)], "안": [("?", 3)]}
    cut = segment(tokens, ["low low low né 안"], vocabulary=["lo", "w", "n"])
    assert value("round-trip", cut) == pytest.approx(3 / 5)


def test_round_trip_of_nothing_is_undefined(segment, value):
    assert math.isnan(value("round-trip", segment({"low": ["low"]}, lines=[""])))


def test_lines_that_come_back_are_counted_where_this_is_known(segment, value):
    cut = segment({"low": ["low"]}, lines=["low", "low low", "low"])
    order, nothing = np.zeros(4, dtype=np.uint32), np.zeros(3, dtype=np.int64)
    part = np.zeros(1, dtype=np.int8)
    context = InContext(order, part, nothing, nothing, nothing, np.array([True, False, True]))
    assert value("round-trip-text", replace(cut, context=context)) == pytest.approx(2 / 3)
    older = replace(context, returned=np.zeros(0, dtype=bool))
    assert math.isnan(value("round-trip-text", replace(cut, context=older)))
    assert math.isnan(value("round-trip-text", cut))
