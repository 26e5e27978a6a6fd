"""Timelines in portions, and of listed sizes alone, are the same as whole ones."""

from collections import Counter
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokbench_bpe import tokbench_learners, tokbench_segmenters

from tests.timelines import same
from tokbench.api import Size, Splitter
from tokbench.runner.portions import portions
from tokbench.runner.timeline import Replay

from .test_timeline import LETTERS, Halves, words_of

CELLS = "tokbench.runner.portions.CELLS"


@given(st.lists(st.integers(1, 9), max_size=9), st.integers(0, 9), st.integers(1, 99))
def test_portions_hold_all_words_in_order_and_no_more_than_they_may(
    lengths: list[int], learned: int, most: int
) -> None:
    with patch(CELLS, most):
        found = list(portions(["x" * length for length in lengths], learned))
    assert [number for begin, end in found for number in range(begin, end)] == [
        *range(len(lengths))
    ]
    cells = [length * min(length, learned + 1) for length in lengths]
    assert all(end - begin <= 1 or sum(cells[begin:end]) <= most for begin, end in found)
    assert all(sum(cells[begin : end + 1]) > most for begin, end in found[:-1])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(LETTERS, min_size=1, max_size=8),
    st.lists(LETTERS, min_size=1, max_size=8),
    st.integers(1, 60),
    st.sets(st.integers(0, 12), min_size=1),
    st.sampled_from([None, Halves()]),
)
def test_a_replay_in_portions_of_the_sizes_wanted_is_the_whole_one(
    training: list[str], tested: list[str], most: int, wanted: set[int], splitter: Splitter | None
) -> None:
    vocabulary = tokbench_learners()["bpe"]().learn(Counter(training), Size(learned=12))
    segmenter = tokbench_segmenters()["bpe"]()
    numbers = sorted({min(m, len(vocabulary.learned)) for m in wanted})
    replay = Replay(vocabulary, segmenter, segmenter.prepare(vocabulary), splitter)
    whole = replay(words_of(tested), numbers[0])
    with patch(CELLS, most):
        found = replay(words_of(tested), numbers[0], np.array(numbers))
    assert whole is not None
    assert found is not None
    assert len(found) <= len(whole)
    for m in numbers:
        cut = vocabulary.cut(Size(learned=m))
        assert same(found.at(m, cut), whole.at(m, cut))


@pytest.mark.parametrize("most", [1, 10_000_000])
def test_no_words_are_one_portion_of_none(most: int) -> None:
    with patch(CELLS, most):
        assert list(portions([], 5)) == [(0, 0)]
