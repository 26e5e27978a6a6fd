"""The knee: the paper's example, and the reference implementation on random curves."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tokbench.sizes.knee import difference, knee, kneedle

FIGURE_2 = np.linspace(0, 1, 10)
GAINS = 5 - 1 / (FIGURE_2 + 0.1)


def test_the_example_of_the_paper() -> None:
    """Satopää et al. 2011, figure 2: y = -1 / (x + 0.1) + 5 at ten points, knee at 0.22."""
    index = knee(FIGURE_2, GAINS, "higher")
    assert index is not None
    assert FIGURE_2[index] == pytest.approx(0.22, abs=0.005)
    assert knee(FIGURE_2, -GAINS, "lower") == index


def test_the_difference_is_height_minus_position_in_the_unit_square() -> None:
    x, y = np.array([100.0, 200, 500]), np.array([7.0, 10, 11])
    assert difference(x, y) == pytest.approx([0, 3 / 4 - 1 / 4, 0])


def test_the_example_of_the_reference_implementation() -> None:
    """The tests of kneed 0.9.0: the first knee of these 1,000 numbers is 22, the last 482."""
    drawn = np.random.RandomState(23).gamma(0.5, 1.0, 1000)
    apart = difference(np.arange(1.0, 1001), -np.sort(drawn)[::-1])
    knees = [1 + i for i in kneedle(apart)]
    assert (knees[0], knees[-1]) == (22, 482)


steps = st.lists(st.tuples(st.integers(1, 1000), st.integers(-300, 1000)), min_size=4, max_size=60)


@given(steps, st.sampled_from([0.5, 1.0, 3.0]))
def test_all_knees_are_those_of_the_reference_implementation(
    moves: list[tuple[int, int]], sensitivity: float
) -> None:
    from kneed import KneeLocator  # which loads SciPy

    x, y = (np.cumsum([0, *side]).astype(float) for side in zip(*moves, strict=True))
    assume(y.min() < y.max())
    apart = difference(x, y)
    # Where two points are level, kneed's answer depends on rounding.
    assume(np.abs(np.diff(apart)).min() > 1e-9)
    theirs = KneeLocator(x, y, S=sensitivity, curve="concave", online=True)
    inner = [k for k in theirs.all_knees if k not in (x[0], x[-1])]  # it counts ends as maxima
    assert [x[i] for i in kneedle(apart, sensitivity)] == inner


@given(steps)
def test_the_knee_is_the_one_that_stands_out_most(moves: list[tuple[int, int]]) -> None:
    x, y = (np.cumsum([0, *side]).astype(float) for side in zip(*moves, strict=True))
    assume(y[-1] > y[0])
    apart = difference(x, y)
    heights = [apart[i] for i in kneedle(apart) if apart[i] > 0]
    index = knee(x, y, "higher")
    assert (index is None) == (not heights)
    if index is not None:
        assert apart[index] == max(heights)
        assert knee(10 * x + 3, 2 - 7 * y, "lower") == index, "neither axis's scale matters"


@pytest.mark.parametrize(
    ("differences", "knees"),
    [
        ([0, 0.5, 0.5, 0.2, 0], [1]),  # of a flat top the first point counts
        ([0, 0.5, 0.4, 0.4, 0], [1]),  # a flat step down is no valley
        ([0, 0.5, 0.25, 0.75, 0], [3]),  # a fall of just the mean step is not enough
        # Of six points, 0.2 apart, a knee at 0.5 needs a fall below 0.3 before the next rise.
        ([0, 0.5, 0.35, 0.6, 0.5, 0], [3]),
        ([0, 0.5, 0.29, 0.6, 0.5, 0], [1, 3]),
    ],
)
def test_a_knee_falls_far_enough_before_the_curve_rises_again(
    differences: list[float], knees: list[int]
) -> None:
    assert kneedle(np.array(differences)) == knees


@pytest.mark.parametrize(
    ("values", "better"),
    [
        ([1, 2, 3, 4, 5], "higher"),  # as much gain at each step
        ([1, 2, 4, 8, 16], "higher"),  # ever more gain
        ([5, 5, 5, 5, 5], "higher"),  # no gain
        ([0, 4, 5, 5, 0], "higher"),  # no gain from the smallest to the largest size
        ([0, 4, 5, 5.5, 5.6], "lower"),  # loss
        ([0, 4, 5, 5.5], "higher"),  # four points
        ([0, 4, float("nan"), 5.5, 5.6], "higher"),
    ],
)
def test_where_there_is_no_knee(values: list[float], better: str) -> None:
    assert knee(range(len(values)), values, better) is None
