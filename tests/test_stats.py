"""Intervals, p-values and Holm, against scipy, textbooks and the definition."""

import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tokbench.score.resample import (
    block_length,
    draw,
    exact_sums,
    groups,
    interval,
    p_value,
    understated,
)
from tokbench.significance import ALPHA, holm, resamples_needed

RATIO_DATA = np.random.default_rng(7).poisson([[12, 9]], size=(80, 2)).astype(float)


@pytest.mark.parametrize(("units", "seed", "corpus"), [(1, 0, "a"), (30, 1, "a"), (6_539, 0, "ü")])
def test_weights_are_the_draws_of_one_generator(units: int, seed: int, corpus: str) -> None:
    """Numbers in published results depend on these draws: they must not change."""
    digest = hashlib.sha256(corpus.encode()).digest()
    generator = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    expected = [
        np.bincount(generator.integers(0, units, units), minlength=units).tolist()
        for _ in range(12)
    ]
    assert draw(units, 12, seed, corpus).tolist() == [[1] * units, *expected]


@given(st.integers(1, 400), st.integers(1, 60))
def test_groups_are_consecutive_and_of_nearly_equal_size(units: int, most: int) -> None:
    ends = groups(units, most)
    sizes = np.diff(ends)
    assert (ends[0], ends[-1], len(sizes)) == (0, units, min(units, most))
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1


def test_up_to_ten_thousand_units_are_groups_of_their_own() -> None:
    assert groups(10_000).tolist() == list(range(10_001))
    assert set(np.diff(groups(10_001)).tolist()) == {1, 2}
    assert groups(1_000_000).tolist() == list(range(0, 1_000_001, 100))


def test_circular_blocks_cover_a_text_by_hand() -> None:
    """Three blocks of four of ten units: the last one is cut to two, and one goes round the end."""
    digest = hashlib.sha256(b"c").digest()
    generator = np.random.default_rng([5, int.from_bytes(digest[:8], "big")])
    expected = []
    for starts in generator.integers(0, 10, (40, 3)).tolist():
        sizes = zip(starts, (4, 4, 2), strict=True)
        drawn = [(start + i) % 10 for start, size in sizes for i in range(size)]
        expected.append(np.bincount(drawn, minlength=10).tolist())
    # Sixteen resamples are drawn at a time.
    assert draw(10, 16, 5, "c", length=4)[1:].tolist() == expected[:16]


@given(st.integers(20, 3_000), st.data())
def test_weights_of_blocks_add_up_to_the_units(units: int, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, units // 20))
    twice = data.draw(st.integers(0, -(-units // length) // 2))
    assert draw(units, 3, 0, "c", length, twice).sum(axis=1).tolist() == [units] * 4


@pytest.mark.parametrize("twice", [5, 10])
def test_blocks_drawn_twice_make_sums_vary_more(twice: int) -> None:
    """Of 20 blocks, where k pairs are equal the variance is (20 + 2 k) / 20 of what it was."""
    series = np.random.default_rng(1).normal(size=400)
    drawn = (draw(400, 8_000, 0, "c", 20, pairs)[1:].astype(float) for pairs in (0, twice))
    single, paired = ((weights @ series).var() for weights in drawn)
    assert paired / single == pytest.approx(1 + twice / 10, rel=0.05)


def test_what_blocks_understate_by_hand() -> None:
    from scipy import stats  # 30 MB

    def for_few(blocks: float) -> float:
        return float(stats.t.ppf(0.975, 27 / 46 * blocks) / stats.norm.ppf(0.975)) ** 2

    # Blocks of one and of two have the same variance, and those of three less: nothing is lost.
    steady = np.array([0.0, 0.0, 3.0, 3.0] * 10)
    assert understated(steady, 2) == pytest.approx(for_few(20), rel=1e-3)
    assert understated(steady, 3) == pytest.approx(for_few(40 / 3), rel=3e-3)
    rising = np.repeat(np.arange(10.0), 8)
    of_two, of_six = (
        np.mean([rising.take(range(i, i + k), mode="wrap").sum() ** 2 for i in range(80)]) / k
        - k * rising.mean() ** 2
        for k in (2, 6)
    )
    expected = (2 - of_two / of_six) * for_few(80 / 6)
    assert understated(rising, 6) == pytest.approx(expected, rel=1e-3)


def test_single_units_and_constant_series_are_left_as_they_are() -> None:
    assert understated(RATIO_DATA[:, 0], 1) == understated(np.ones(60), 3) == 1


def autocorrelated(units: int, carried: float, seed: int) -> np.ndarray:
    """Return a series of which each value keeps a share of the one before, by integers alone."""
    value, series = 0.0, []
    for i in range(units):
        value = carried * value + (i * i * 7919 + seed * 104729) % 1009
        series.append(value)
    return np.array(series)


@pytest.mark.parametrize(
    ("units", "carried", "seed", "circular"),
    [
        (152, 0.9, 2, 12.4900), (600, 0.7, 3, 13.2817), (600, 0.97, 4, 45.6769),
        (2_400, 0.3, 5, 8.9087), (2_400, 0.9, 6, 73.9445), (10_000, 0.6, 7, 125.9343),
        (10_000, 0.995, 8, 276.9585),
    ],
)  # fmt: skip
def test_lengths_of_blocks_are_those_of_arch(
    units: int, carried: float, seed: int, circular: float
) -> None:
    """`optimal_block_length(series)["circular"]` of arch 8.0.0, which follows Patton's program."""
    assert block_length(autocorrelated(units, carried, seed)) == math.ceil(circular)


@pytest.mark.parametrize("series", [[], [3.0], [2.0] * 500, [1.0, 2.0] * 3])
def test_series_too_short_or_constant_have_blocks_of_one(series: list[float]) -> None:
    assert block_length(np.array(series or [0.0])) == 1


def test_independent_units_have_blocks_of_one() -> None:
    random = np.random.default_rng(3)
    lengths = [block_length(random.poisson(9, 2_400).astype(float)) for _ in range(60)]
    assert lengths.count(1) > 57


VALUES = st.one_of(
    st.integers(-(2**45), 2**45).map(float),
    st.fractions(0, 1, max_denominator=60).map(float),
    st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-200),
)


@given(arrays(float, st.tuples(st.integers(1, 12), st.integers(1, 2)), elements=VALUES))
def test_sums_are_the_exact_ones_rounded(columns: np.ndarray) -> None:
    weights = draw(len(columns), 3, seed=0, corpus="c")
    exact = [
        [
            sum(int(w) * Fraction(c) for w, c in zip(drawn, column, strict=True))
            for column in columns.T
        ]
        for drawn in weights
    ]
    for sums, expected, of in zip(
        exact_sums(weights, columns).T,
        zip(*exact, strict=True),
        columns.T,
        strict=True,
    ):
        # One rounding of the sum itself, and roundings of parts that are 2^-20 of it at most.
        slack = float(np.abs(of).max()) * 2.0**-70
        for value, true in zip(sums, expected, strict=True):
            assert abs(Fraction(value) - true) <= abs(true) * Fraction(2) ** -52 + Fraction(slack)


def drawn_weights(units: int, resamples: int) -> np.ndarray:
    return draw(units, resamples, seed=0, corpus="c")[1:]


@given(st.randoms(use_true_random=False), st.integers(1, 40))
def test_sums_depend_on_neither_chunks_nor_the_order_of_units(random, rows: int) -> None:
    generator = np.random.default_rng(random.randrange(10**6))
    columns = generator.integers(0, 50, size=(60, 4)) / generator.integers(1, 9, size=(60, 4))
    columns[:, 0] = generator.integers(0, 10**7, 60)
    weights = drawn_weights(60, 40)
    sums = exact_sums(weights, columns)
    assert exact_sums(weights[:rows], columns).tobytes() == sums[:rows].tobytes()
    order = generator.permutation(60)
    assert exact_sums(weights[:, order], columns[order]).tobytes() == sums.tobytes()
    for i in range(4):
        assert exact_sums(weights, columns[:, [i]]).tobytes() == sums[:, i].tobytes()


def test_sums_beyond_single_precision_stay_exact() -> None:
    """Ten thousand blocks of 2^30 + 1 tokens: single precision alone would lose the 1."""
    columns = np.full((10_000, 1), 2.0**30 + 1)
    assert set(exact_sums(drawn_weights(10_000, 3), columns).ravel()) == {10_000 * (2**30 + 1)}


@given(st.lists(st.sampled_from([0.01, 0.1, 0.5, 1]), min_size=1, max_size=5), st.integers(0, 99))
def test_groups_of_columns_that_few_units_have_have_the_same_sums(
    shares: list[float], seed: int
) -> None:
    """A group alone, among dense ones, and spread over all units has the same bytes."""
    generator = np.random.default_rng(seed)
    groups = []
    for share in shares:
        group = generator.integers(0, 2**31, (400, 3)) / generator.integers(1, 9, (400, 3))
        group[generator.random(400) >= share] = 0
        groups.append(group)
    weights = drawn_weights(400, 7)
    dense = [np.hstack([group, np.ones((400, 1))]) for group in groups]
    alone = [exact_sums(weights, group)[:, :3] for group in dense]
    assert exact_sums(weights, *groups).tobytes() == np.hstack(alone).tobytes()


def test_sums_of_few_units_beyond_single_precision_stay_exact() -> None:
    """One block of 10,000 has 1,234,567,891 tokens and is drawn 9,999 times."""
    columns = np.zeros((10_000, 1))
    columns[7] = 1_234_567_891
    drawn = np.zeros((1, 10_000), np.float32)
    drawn[0, 7] = 9_999
    assert exact_sums(drawn, columns).tolist() == [[9_999 * 1_234_567_891]]


def test_sums_of_columns_that_overflowed_are_undefined() -> None:
    columns = np.array([[np.inf, 1.0, np.nan], [2.0, 3.0, 4.0]])
    sums = exact_sums(np.ones((1, 2)), columns)
    assert np.isnan(sums).tolist() == [[True, False, True]]
    assert sums[0, 1] == 4


def test_interval_of_a_ratio_agrees_with_scipy() -> None:
    """Same method, other draws: the ends agree within the Monte Carlo error of 20,000 draws."""
    from scipy import stats as scipy_stats  # 30 MB

    sums = exact_sums(draw(80, 20_000, seed=5, corpus="ratio")[1:], RATIO_DATA)
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
    from scipy import stats as scipy_stats

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
