"""Differences from the baseline, and Holm within families."""

import numpy as np
import pytest

from tokbench.score.compare import Comparison, compare
from tokbench.score.estimate import Estimate
from tokbench.score.resample import interval
from tokbench.significance import holm_by_family

HIGH = Estimate(4.0, n=100, samples=np.full(99, 4.0) + np.linspace(-0.1, 0.1, 99))
LOW = Estimate(2.0, n=100, samples=np.full(99, 2.0))
UNDEFINED = Estimate(float("nan"), n=0)


def test_a_difference_is_system_minus_baseline() -> None:
    found = compare(HIGH, LOW)
    assert found is not None
    assert (found.difference, found.p) == (2, 2 / 100)
    assert (found.difference_low, found.difference_high) == (
        pytest.approx(1.905),
        pytest.approx(2.095),
    )


def test_without_resamples_only_the_difference_is_left() -> None:
    assert compare(Estimate(3.0, n=7), LOW) == Comparison(1)
    assert compare(LOW, Estimate(3.0, n=7)) == Comparison(-1)


def test_what_is_undefined_is_not_compared() -> None:
    assert compare(UNDEFINED, LOW) is None
    assert compare(LOW, UNDEFINED) is None


def test_an_undefined_resample_leaves_only_the_difference() -> None:
    samples = LOW.samples.copy()
    samples[3] = np.nan
    assert compare(HIGH, Estimate(2.0, n=100, samples=samples)) == Comparison(2)


@pytest.mark.filterwarnings("error")
def test_a_difference_too_large_for_a_float_is_undefined() -> None:
    huge = np.float64(1.7e308)
    assert compare(Estimate(-huge), Estimate(huge)) is None
    base = Estimate(0.0, n=99, samples=np.tile([-huge, 0.0, 0.0], 33))
    other = Estimate(1.0, n=99, samples=np.tile([huge, 1.0, 1.0], 33))
    assert compare(other, base) == Comparison(1)


@pytest.mark.filterwarnings("error")
def test_an_interval_with_an_end_too_large_for_a_float_is_undefined() -> None:
    huge = 1.7e308
    assert interval(np.array([-huge, huge])) is None
    assert interval(np.array([-huge, -huge])) == (-huge, -huge)


def test_holm_is_taken_within_each_family() -> None:
    adjusted = holm_by_family([0.01, 0.04, 0.03, None], ["a", "a", "b", "a"])
    assert adjusted == [0.02, 0.04, 0.03, None]
