"""The rules that choose a size, by hand and against their definitions."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiny import BPE, TEXTS, tiny_run
from tokbench.run_folder.tables import AdviceRow, CurveSteps, Point, Row, SeriesKey
from tokbench.score.resample import Floats
from tokbench.sizes.advice import (
    Series,
    advise,
    choose,
    every_size,
    series_of,
    smallest_not_worse,
    too_few_resamples,
)

KEY = ("bpe", "held-out", "fertility")
BETTER = {"fertility": "lower", "other": "lower", "unseen": "neither"}


def series(
    *values: float, better: str = "lower", unit: str = "", curve: CurveSteps | None = None
) -> Series:
    """Return a series at the sizes 100, 200, 300, ..."""
    points = tuple(Point(f"{unit}{100 * i}", value) for i, value in enumerate(values, 1))
    return Series(KEY, better, points, tuple(range(100, 100 * len(values) + 1, 100)), curve)


def steps(
    subset: str, sizes: Sequence[int], values: Sequence[float], key: SeriesKey = KEY
) -> CurveSteps:
    system, corpus, metric = key
    return CurveSteps(system, corpus, subset, metric, "", np.array(sizes), [*map(str, values)])


def at(row: AdviceRow, rule: str) -> tuple[str, float] | None:
    """Return the size and the value that a rule chose."""
    size, value = getattr(row, f"{rule}_size"), getattr(row, f"{rule}_value")
    assert (size is None) == (value is None)
    return None if size is None else (size, value)


def curve(*points: tuple[int, float]) -> CurveSteps:
    sizes, values = zip(*points, strict=True)
    return steps("all", sizes, values)


@pytest.mark.parametrize(
    ("values", "better", "tolerance", "expected"),
    [
        ([2.0, 1.02, 1.01, 1.0], "lower", 0.01, (3, 2)),  # 1.01 is just within 1 %
        ([2.0, 1.02, 1.01, 1.0], "lower", 0.02, (3, 1)),
        ([2.0, 1.02, 1.01, 1.0], "lower", 0.0, (3, 3)),
        ([0.5, 0.891, 0.9, 0.7], "higher", 0.01, (2, 1)),
        ([0.5, 0.89, 0.9, 0.7], "higher", 0.01, (2, 2)),
        ([0.95, 0.5, 0.9501], "higher", 0.01, (2, 0)),  # the smallest, whatever lies between
        ([0.3, 0.3, 0.3], "higher", 0.0, (0, 0)),
        ([0.002, 0.001, 0.0], "lower", 0.5, (2, 2)),  # only 0 is within any share of 0
        ([0.0, 0.0], "lower", 0.01, (0, 0)),
        ([-2.0, -1.99, -3.0], "higher", 0.01, (1, 0)),
        ([float("nan"), 1.005, 1.0], "lower", 0.01, (2, 1)),
    ],
)
def test_the_best_size_and_the_smallest_within_the_tolerance(
    values: list[float], better: str, tolerance: float, expected: tuple[int, int]
) -> None:
    assert choose(np.array(values), better, tolerance) == expected


def test_sizes_are_written_as_the_results_write_them() -> None:
    advice = advise(series(3.0, 1.0, 1.0, unit="merges:"))
    assert (at(advice, "best"), at(advice, "within")) == (("merges:200", 1.0), ("merges:200", 1.0))
    full_curve = curve((100, 3.0), (150, 1.0), (300, 1.0))
    on_curve = advise(series(3.0, 1.0, 1.0, unit="merges:", curve=full_curve))
    assert at(on_curve, "curve_best") == ("merges:150", 1.0)


def test_a_curve_gives_the_exact_size() -> None:
    full_curve = curve((100, 2.0), (150, 1.02), (240, 1.009), (260, 1.0), (290, 1.1), (300, 1.1))
    advice = advise(series(2.0, 1.02, 1.1, curve=full_curve))
    assert (at(advice, "best"), at(advice, "within")) == (("200", 1.02), ("200", 1.02))
    assert (at(advice, "curve_best"), at(advice, "curve_within")) == (("260", 1.0), ("240", 1.009))


def test_every_size_of_a_curve_has_the_value_of_the_last_change() -> None:
    nan = float("nan")
    sizes, values = every_size(curve((3, nan), (5, 2.0), (6, 1.0), (8, 1.0)))
    assert sizes.tolist() == [5, 6, 7, 8]
    assert values.tolist() == [2.0, 1.0, 1.0, 1.0]
    assert len(every_size(curve((3, nan), (8, nan)))[0]) == 0


def test_a_series_has_its_curve_on_all_words() -> None:
    word_key = ("word", "held-out", "fertility")
    rows = [row(key, size, 1.0) for key in (KEY, word_key) for size in ("100", "200")]
    drawn = [
        steps("unseen", [100], [3.0]),
        steps("all", [100, 150], [2.0, np.nan]),
        steps("all", [100], [2.0], ("bpe", "held-out", "other")),
    ]
    with_curve, without_curve = series_of(rows, BETTER, drawn)
    assert (with_curve.key, with_curve.curve) == (KEY, drawn[1])
    assert (without_curve.key, without_curve.curve) == (word_key, None)


def test_the_knee_is_that_of_the_curve_where_there_is_one() -> None:
    listed = advise(series(9.0, 4.0, 3.0, 2.5, 2.4))
    assert (listed.knee_of, at(listed, "knee")) == ("sizes", ("200", 4.0))
    full_curve = curve((100, 9.0), (130, 4.5), (480, 2.4), (500, 2.4))
    every = advise(series(9.0, 4.5, 4.5, 4.5, 2.4, curve=full_curve))
    assert (every.knee_of, at(every, "knee")) == ("curve", ("130", 4.5))
    assert at(advise(series(9.0, 4.0, 3.0, 2.5)), "knee") is None


def test_listed_sizes_that_were_not_reached_do_not_move_the_knee() -> None:
    """The text allows 550 tokens: the listed sizes above it are all the same vocabulary."""
    values = (9.0, 4.0, 3.0, 2.5, 2.4, 2.35, 2.35, 2.35)
    totals = (100, 200, 300, 400, 500, 550, 550, 550)
    capped = replace(series(*values), totals=totals)
    assert at(advise(capped), "knee") == ("200", 4.0)
    far = replace(capped, listed=(*capped.listed[:-1], Point("1000000000", 2.35)))
    assert at(advise(far), "knee") == at(advise(capped), "knee")
    six = replace(capped, listed=capped.listed[:6], totals=totals[:6])
    assert at(advise(six), "knee") == at(advise(capped), "knee")
    below = replace(capped, totals=(100, 200, 300, 400, 400, 400, 400, 400))
    assert at(advise(below), "knee") is None, "four vocabularies are too few"


def test_a_curve_that_is_nowhere_defined_tells_nothing() -> None:
    advice = advise(series(2.0, 1.0, curve=curve((100, float("nan")), (200, float("nan")))))
    assert {at(advice, name) for name in ("curve_best", "curve_within", "knee")} == {None}


def row(
    key: SeriesKey,
    size: str,
    value: float | None,
    total: int = 100,
    **changes: str,
) -> Row:
    system, corpus, metric = key
    fields = {"subset": "all", "context": "isolated", **changes}
    return Row(
        system=system, corpus=corpus, size=size,
        vocabulary_size=total, metric=metric, value=value, **fields,
    )  # fmt: skip


def test_series_have_a_direction_and_two_defined_sizes() -> None:
    values = [
        row(KEY, "1000", 1.5, 999),
        row(KEY, "200", 1.75, 200),
        row(KEY, "200", 1.8, 200, context="in-context"),
        row(KEY, "300", None, 300),
        row(KEY, "300", 1.7, 300, subset="unseen"),
        row(("bpe", "held-out", "unseen"), "200", 0.1),
        row(("bpe", "held-out", "unseen"), "1000", 0.1),
        row(("char", "held-out", "fertility"), "", 4.0, 26),
        row(("word", "held-out", "fertility"), "200", 1.0, 200),
    ]
    (bpe,) = series_of(values, BETTER)
    assert (bpe.key, bpe.better) == (KEY, "lower")
    assert (advise(bpe).not_worse_size, advise(bpe, "1000").not_worse_size) == (None, "1000")
    assert bpe.listed == (("200", 1.75), ("1000", 1.5))
    assert bpe.totals == (200, 999)


def test_not_significantly_worse_by_hand() -> None:
    """199 resamples: p of a difference that is always positive is 2 / 200, Holm's factor 3, 2, 1.

    Against the best, size 400: 100 is worse in every resample (p 0.01, 0.03 after Holm), 200 in
    all but 3 (p 0.04, 0.08), 300 in half of them.
    """
    best = np.arange(199.0)
    half = np.where(np.arange(199) < 100, 1.0, -1.0)
    some = np.where(np.arange(199) < 3, -1.0, 1.0)
    drawn = {"100": best + 1, "200": best + some, "300": best + half, "400": best}
    four_sizes = series(4.0, 3.0, 2.0, 1.0)
    assert smallest_not_worse(four_sizes, drawn) == "200"
    # With two sizes fewer to compare, 0.04 is significant.
    two_sizes = Series(KEY, "lower", (four_sizes.listed[1], four_sizes.listed[3]), (200, 400))
    assert smallest_not_worse(two_sizes, drawn) == "400"


@pytest.mark.parametrize(("resamples", "expected"), [(119, None), (120, "400")])
def test_where_holm_can_reject_nothing_no_size_is_named(
    resamples: int, expected: str | None
) -> None:
    """Three comparisons: 3 * 2 / 120 is 5 %, which is not below it; 3 * 2 / 121 is."""
    best = np.arange(float(resamples))
    drawn = {"100": best + 1, "200": best + 1, "300": best + 1, "400": best}
    assert smallest_not_worse(series(4.0, 3.0, 2.0, 1.0), drawn) == expected


def test_what_lacks_resamples_is_noted_with_their_number() -> None:
    drawn: dict[tuple[SeriesKey, str], Floats | None] = {
        (KEY, f"{size}"): np.zeros(1000) for size in range(27)
    }
    (note,) = too_few_resamples(drawn)
    assert note.text == (
        "system bpe: 1,000 resamples cannot show that a size is significantly worse than the best "
        "one after Holm's correction, with 26 sizes to compare with it, so advice names no size "
        "that is not worse; write `resamples: 1040` or more"
    )
    other_key = ("bpe", "other", "fertility")
    assert not [*too_few_resamples({**drawn, (KEY, "0"): None, (other_key, "1"): np.zeros(1000)})]


def test_without_resamples_nothing_is_tested() -> None:
    drawn = np.arange(80.0)
    undefined = np.append(np.arange(79.0), np.nan)
    three_sizes = series(3.0, 2.0, 1.0)
    assert smallest_not_worse(three_sizes, {"100": drawn, "200": None, "300": drawn}) is None
    assert smallest_not_worse(three_sizes, {"100": drawn, "200": undefined, "300": drawn}) is None
    assert smallest_not_worse(three_sizes, {"100": drawn, "200": drawn, "300": None}) is None
    assert smallest_not_worse(three_sizes, {"100": drawn, "200": drawn, "300": drawn}) == "100"


@pytest.mark.parametrize(("resamples", "noted", "named"), [(79, 1, False), (80, 0, True)])
def test_a_run_notes_that_it_has_too_few_resamples_for_its_sizes(
    tmp_path: Path, resamples: int, noted: int, named: bool
) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": TEXTS["test"] * 20},
        systems=f"[{BPE}, char]",
        sizes="[3, 4, 5]",
        metrics="[fertility]",
        resamples=f"{resamples}",
    )
    notes = [note for note in run.record.notes if "significantly worse" in note]
    assert len(notes) == noted
    assert all("write `resamples: 80` or more" in note for note in notes)
    (advice,) = run.advice
    assert (advice.not_worse_size is not None) == named


def plainly(values: list[float], better: str, drawn: list[list[float]]) -> int:
    """Define the rule anew: p by counting, Holm by its definition, position of the first size."""
    best = min(range(len(values)), key=lambda i: -values[i] if better == "higher" else values[i])
    p_values = {}
    for i in range(len(values)):
        if i != best:
            below = sum(a <= b for a, b in zip(drawn[i], drawn[best], strict=True))
            above = sum(a >= b for a, b in zip(drawn[i], drawn[best], strict=True))
            p_values[i] = min(1, 2 * (1 + min(below, above)) / (len(drawn[i]) + 1))
    rejected = set()
    for rank, i in enumerate(sorted(p_values, key=lambda i: p_values[i])):
        if p_values[i] * (len(p_values) - rank) >= 0.05:
            break
        rejected.add(i)
    return min(set(range(len(values))) - rejected)


@given(
    st.integers(2, 6), st.sampled_from(["higher", "lower"]), st.integers(0, 10_000), st.floats(0, 3)
)
def test_not_significantly_worse_by_brute_force(
    sizes: int, better: str, seed: int, apart: float
) -> None:
    generator = np.random.default_rng(seed)
    values = generator.normal(0, 1, sizes).round(1)
    noise = generator.normal(0, 1, (sizes, 400))
    drawn = (apart * values[:, None] + noise).round(1)
    listed = series(*values, better=better)
    size = smallest_not_worse(listed, {f"{100 * (i + 1)}": row for i, row in enumerate(drawn)})
    assert size == f"{100 * (1 + plainly(values.tolist(), better, drawn.tolist()))}"
