"""Differences from the baseline, Holm within families, and all pairs of a family.

Pairs are compared by hand and with a plain loop; families of nothing but noise show few.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.score.compare import Comparison, all_pairs, compare
from tokbench.score.estimate import Estimate
from tokbench.score.resample import interval
from tokbench.significance import holm_by_family

HIGH = Estimate(4.0, n=100, samples=np.full(99, 4.0) + np.linspace(-0.1, 0.1, 99))
LOW = Estimate(2.0, n=100, samples=np.full(99, 2.0))
UNDEFINED = Estimate(float("nan"), n=0)


def test_a_difference_is_system_minus_baseline() -> None:
    comparison = compare(HIGH, LOW)
    assert comparison is not None
    assert (comparison.difference, comparison.p) == (2, 2 / 100)
    assert (comparison.difference_low, comparison.difference_high) == (
        pytest.approx(1.905),
        pytest.approx(2.095),
    )


@pytest.mark.parametrize(
    ("estimate", "base", "expected"),
    [
        (Estimate(3.0, n=7), LOW, Comparison(1)),
        (LOW, Estimate(3.0, n=7), Comparison(-1)),
        (HIGH, Estimate(2.0, n=100, samples=np.append(LOW.samples[1:], np.nan)), Comparison(2)),
        (UNDEFINED, LOW, None),
        (LOW, UNDEFINED, None),
    ],
)
def test_without_defined_resamples_of_both_only_the_difference_is_left(
    estimate: Estimate, base: Estimate, expected: Comparison | None
) -> None:
    assert compare(estimate, base) == expected


@pytest.mark.filterwarnings("error")
def test_a_difference_too_large_for_a_float_is_undefined() -> None:
    huge = np.float64(1.7e308)
    assert compare(Estimate(-huge), Estimate(huge)) is None
    base = Estimate(0.0, n=99, samples=np.tile([-huge, 0.0, 0.0], 33))
    estimate = Estimate(1.0, n=99, samples=np.tile([huge, 1.0, 1.0], 33))
    assert compare(estimate, base) == Comparison(1)


@pytest.mark.filterwarnings("error")
def test_an_interval_with_an_end_too_large_for_a_float_is_undefined() -> None:
    huge = 1.7e308
    assert interval(np.array([-huge, huge])) is None
    assert interval(np.array([-huge, -huge])) == (-huge, -huge)


def test_holm_is_taken_within_each_family() -> None:
    adjusted = holm_by_family([0.01, 0.04, 0.03, None], ["a", "a", "b", "a"])
    assert adjusted == [0.02, 0.04, 0.03, None]


def by_loop(values: list[float], samples: np.ndarray) -> list[tuple[float, float, float, float]]:
    """Return difference, low, high and p of each pair, written as the definition reads."""
    pairs = [*combinations(range(len(values)), 2)]
    sd = {
        (i, j): np.std([b - a for a, b in zip(samples[j], samples[i], strict=True)], ddof=1)
        for i, j in pairs
    }
    greatest = []
    for draw in range(samples.shape[1]):
        distances = [
            abs((samples[i][draw] - samples[j][draw]) - (values[i] - values[j])) / sd[i, j]
            for i, j in pairs
            if sd[i, j] > 0
        ]
        greatest.append(max(distances, default=0))
    differences = []
    for i, j in pairs:
        difference = values[i] - values[j]
        width = np.quantile(greatest, 0.95) * sd[i, j]
        own = abs(difference) / sd[i, j] if sd[i, j] > 0 else (np.inf if difference else 0)
        p = (1 + sum(distance >= own for distance in greatest)) / (1 + len(greatest))
        differences.append((difference, difference - width, difference + width, p))
    return differences


@given(st.integers(2, 5), st.integers(0, 1000))
def test_pairs_are_those_of_a_plain_loop(many: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.normal(size=many).round(1)
    samples = values[:, None] + random.normal(size=(many, 40)).round(1)
    pairs = [*all_pairs(values.tolist(), [*samples])]
    assert [(pair.first, pair.second) for pair in pairs] == [*combinations(range(many), 2)]
    for pair, right in zip(pairs, by_loop(values.tolist(), samples), strict=True):
        # Distances that are equal in exact arithmetic may be told apart by rounding.
        assert pair[2:5] == pytest.approx(right[:3])
        assert pair.p == pytest.approx(right[3], abs=2.5 / 41)


def test_systems_that_never_differ() -> None:
    same = np.array([1.0, 2.0, 3.0])
    (pair,) = all_pairs([2.0, 2.0], [same, same])
    assert pair == (0, 1, 0.0, 0.0, 0.0, 1.0)
    (apart,) = all_pairs([3.0, 2.0], [same + 1, same])
    assert apart == (0, 1, 1.0, 1.0, 1.0, 1 / 4)


def test_one_system_has_no_pair() -> None:
    assert [*all_pairs([1.0], [np.ones(3)])] == []
    assert [*all_pairs([], [])] == []


def test_of_families_of_noise_one_in_twenty_has_a_difference() -> None:
    """Fifteen systems with the same true value: 105 pairs, of which Holm could reject none."""
    random = np.random.default_rng(0)
    families = 0
    for _ in range(200):
        units = random.normal(size=(15, 60))
        weights = random.multinomial(60, [1 / 60] * 60, size=400) / 60
        pairs = all_pairs(units.mean(axis=1).tolist(), [*(weights @ units.T).T])
        families += min(pair.p for pair in pairs) < 0.05
    assert 2 <= families <= 25


def test_a_real_difference_among_105_pairs_is_found() -> None:
    random = np.random.default_rng(1)
    units = random.normal(size=(15, 60))
    units[0] += 3
    weights = random.multinomial(60, [1 / 60] * 60, size=1000) / 60
    pairs = [*all_pairs(units.mean(axis=1).tolist(), [*(weights @ units.T).T])]
    assert all(pair.p < 0.01 for pair in pairs if pair.first == 0)
    assert all(pair.low <= pair.difference <= pair.high for pair in pairs)
