"""Intervals, p-values and Holm, against scipy, textbooks and the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from tokbench.significance import ALPHA, resamples_needed
from tokbench.stats import Weights, holm, interval, p_value

RATIO_DATA = np.random.default_rng(7).poisson([[12, 9]], size=(80, 2)).astype(float)


def test_weights_draw_every_resample_with_replacement() -> None:
    drawn = np.concatenate(list(Weights(30, 200, seed=1, corpus="a").chunks(1)))
    assert drawn.shape == (200, 30)
    assert (drawn.sum(axis=1) == 30).all()
    # The variance of a multinomial cell with n draws over n cells is (n - 1) / n.
    assert drawn.var() == pytest.approx(29 / 30, rel=0.05)


def test_weights_depend_on_seed_and_corpus_only() -> None:
    def draw(seed: int, corpus: str) -> bytes:
        return np.concatenate(list(Weights(9, 20, seed, corpus).chunks(1))).tobytes()

    assert draw(1, "a") == draw(1, "a")
    assert draw(1, "a") != draw(2, "a")
    assert draw(1, "a") != draw(1, "b")


def test_sums_are_the_same_in_chunks_of_any_size() -> None:
    weights = Weights(50, 40, seed=0, corpus="c")
    columns = np.random.default_rng(3).integers(0, 9, size=(50, 3)).astype(float)
    whole = np.concatenate(list(weights.chunks(1))) @ columns
    few = np.concatenate([drawn @ columns for drawn in weights.chunks(2_000_000)])
    assert (weights.sums(columns) == whole).all()
    assert (few == whole).all()


def test_interval_of_a_ratio_agrees_with_scipy() -> None:
    """Same method, other draws: the ends agree within the Monte Carlo error of 20,000 draws."""
    sums = Weights(80, 20_000, seed=5, corpus="ratio").sums(RATIO_DATA)
    ours = interval(sums[:, 0] / sums[:, 1])
    scipys = scipy_stats.bootstrap(
        (RATIO_DATA[:, 0], RATIO_DATA[:, 1]),
        lambda a, b, axis=-1: a.sum(axis=axis) / b.sum(axis=axis),
        n_resamples=20_000,
        method="percentile",
        paired=True,
        vectorized=True,
        rng=np.random.default_rng(11),
    )
    theirs = scipys.confidence_interval
    error = 4 * scipys.standard_error / np.sqrt(20_000 * 0.025)
    assert ours == pytest.approx((theirs.low, theirs.high), abs=error)


def test_interval_is_the_percentiles_that_scipy_takes() -> None:
    samples = np.random.default_rng(2).normal(size=999)
    expected = scipy_stats.scoreatpercentile(samples, [2.5, 97.5])
    assert interval(samples) == pytest.approx(tuple(expected), abs=1e-12)


def test_an_undefined_resample_leaves_no_interval_and_no_p() -> None:
    samples = np.array([1.0, np.nan, 2.0])
    assert interval(samples) is None
    assert p_value(samples) is None
    assert p_value(np.zeros(0)) is None


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1.0] * 19, 2 / 20),  # all above 0: the smallest p of 19 resamples
        ([-1.0] * 999, 2 / 1000),
        ([1.0, -1.0, 1.0, 1.0], 2 * 2 / 5),
        ([0.0] * 50, 1.0),  # no difference in any resample
    ],
)
def test_p_counts_the_resamples_beyond_zero(differences: list[float], p: float) -> None:
    assert p_value(np.array(differences)) == pytest.approx(p)


def test_holm_gives_the_textbook_values() -> None:
    """0.01, 0.04, 0.03, 0.005: R's p.adjust(p, "holm") gives 0.03, 0.06, 0.06, 0.02."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_lies_between_raw_and_bonferroni(raw: list[float]) -> None:
    for before, after in zip(raw, holm(raw), strict=True):
        assert before <= after <= min(1.0, before * len(raw)) + 1e-12


@given(st.integers(1, 500))
def test_resamples_needed_is_the_smallest_number_that_can_be_significant(tests: int) -> None:
    needed = resamples_needed(tests)
    assert 2 * tests / (needed + 1) < ALPHA <= 2 * tests / needed
