"""Which size is enough: for each metric, the sizes that several rules would choose.

The rules answer different questions, so all are shown and none decides.
`docs/explanation/advice.md` says what each means.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tokbench.api import Size
from tokbench.issues import Issue, Location
from tokbench.printing import counted
from tokbench.run_folder import Run
from tokbench.run_folder.tables import AdviceRow, CurveSteps, Point, Row, SeriesKey, size_number
from tokbench.score.resample import Floats, Ints, p_value
from tokbench.significance import ALPHA, holm, resamples_needed
from tokbench.sizes.knee import knee

TOLERANCE = 0.01
Samples = Mapping[tuple[SeriesKey, str], Floats | None]
"""Resampled values by system, corpus and metric, and by size; None where there are none."""

ROUNDING = 1e-12  # values are known to 12 significant digits


@dataclass(frozen=True, eq=False)
class Series:
    """One metric of one system on one corpus, by size.

    `listed` is in the order of sizes, without undefined values, and `totals` are the |V| of
    these sizes, which are smaller where the training text allowed no more.
    """

    key: SeriesKey
    better: str
    listed: tuple[Point, ...]
    totals: tuple[int, ...]
    curve: CurveSteps | None = None

    @property
    def values(self) -> Floats:
        """The values at the listed sizes."""
        return np.array([point.value for point in self.listed], dtype=np.float64)

    def point(self, size: int, value: float) -> Point:
        """Return a point of a curve, its size written as the listed ones are."""
        return Point(f"{Size.parse(self.listed[0].size).prefix}{size}", float(value))


def series_of(
    rows: Iterable[Row], better: Mapping[str, str], curves: Iterable[CurveSteps] = ()
) -> Iterator[Series]:
    """Group the values on all words into series: those with a direction and two sizes or more.

    `better` is the direction of each metric, `higher`, `lower` or `neither`.

    Gated rows, lengths of text that is partly unknown or lost, are left out: if a series has any,
    its curve counts only from the smallest listed size without one.
    """
    grouped: dict[SeriesKey, dict[str, Row]] = {}
    for row in rows:
        of_text = row.subset == "all" and row.training_share == 1
        if of_text and better[row.metric] != "neither" and row.size and row.value is not None:
            key = (row.system, row.corpus, row.metric)
            # If a system is cut both in context and alone, the first row counts.
            grouped.setdefault(key, {}).setdefault(row.size, row)
    drawn = {curve.key: curve for curve in curves if curve.subset == "all"}
    for key, listed in grouped.items():
        comparable = {size: row for size, row in listed.items() if not row.gated}
        if len(comparable) < len(listed) and key in drawn and comparable:
            drawn[key] = drawn[key].since(min(map(size_number, comparable)))
        if len(comparable) > 1:
            ordered = sorted(comparable.values(), key=lambda row: size_number(row.size))
            points = tuple(Point(row.size, row.value) for row in ordered if row.value is not None)
            totals = tuple(row.vocabulary_size or 0 for row in ordered)
            yield Series(key, better[key[2]], points, totals, drawn.get(key))


def every_size(curve: CurveSteps) -> tuple[Ints, Floats]:
    """Return a curve with one point a size, from the first size at which it is defined."""
    end = curve.sizes[-1] + 1
    sizes = np.arange(curve.sizes[0], end)
    values = np.repeat(curve.values, np.diff(np.append(curve.sizes, end)))
    begun = np.logical_or.accumulate(np.isfinite(values))
    return sizes[begun], values[begun]


def advice_of(
    rows: Iterable[Row], better: Mapping[str, str], samples: Samples, curves: Iterable[CurveSteps]
) -> Iterator[AdviceRow]:
    """Advise on every series of a run."""
    for series in series_of(rows, better, curves):
        by_size = {point.size: samples.get((series.key, point.size)) for point in series.listed}
        yield advise(series, smallest_not_worse(series, by_size))


def advice_from(run: Run, tolerance: float = TOLERANCE) -> list[AdviceRow]:
    """Advise on every series of a finished run, whose tests between sizes are taken as they are."""
    not_worse = {row.key: row.not_worse_size for row in run.advice}
    all_series = series_of(run.rows, run.record.advising, run.curves or ())
    return [advise(series, not_worse.get(series.key), tolerance) for series in all_series]


def too_few_resamples(samples: Samples) -> Iterator[Issue]:
    """Note each system of which no size could ever be significantly worse than another."""
    resamples = {key[0]: len(drawn) for (key, _), drawn in samples.items() if drawn is not None}
    sizes = Counter(key for (key, _), drawn in samples.items() if drawn is not None)
    for system, number in resamples.items():
        most = max(count for key, count in sizes.items() if key[0] == system) - 1
        if number < resamples_needed(most):
            cause = (
                f"{counted(number, 'resample')} cannot show that a size is significantly worse "
                f"than the best one after Holm's correction, with {counted(most, 'size')} to "
                "compare with it, so advice names no size that is not worse; write "
                f"`resamples: {resamples_needed(most)}` or more"
            )
            yield Issue("note", cause, Location(system))


def advise(series: Series, not_worse: str | None = None, tolerance: float = TOLERANCE) -> AdviceRow:
    """Apply all rules to one series of at least two listed sizes.

    `not_worse` is the smallest size that is not significantly worse, where it is known.
    """
    best, within = (series.listed[i] for i in choose(series.values, series.better, tolerance))
    curve_best, curve_within = _on_curve(series, tolerance)
    bend = _knee(series)
    system, corpus, metric = series.key
    return AdviceRow(
        system=system,
        corpus=corpus,
        metric=metric,
        better=series.better,
        tolerance=tolerance,
        best_size=best.size,
        best_value=best.value,
        within_size=within.size,
        within_value=within.value,
        not_worse_size=not_worse,
        curve_best_size=curve_best and curve_best.size,
        curve_best_value=curve_best and curve_best.value,
        curve_within_size=curve_within and curve_within.size,
        curve_within_value=curve_within and curve_within.value,
        knee_of="sizes" if series.curve is None else "curve",
        knee_size=bend and bend.size,
        knee_value=bend and bend.value,
    )


def _knee(series: Series) -> Point | None:
    """Find the knee on the curve; without one among the listed sizes, by their real |V|.

    Sizes that the training text did not reach would widen the range with tokens that are not there.
    """
    if series.curve is not None:
        sizes, values = every_size(series.curve)
        at = knee(sizes, values, series.better)
        return None if at is None else series.point(sizes[at], values[at])
    totals, chosen = np.unique(np.maximum.accumulate(series.totals), return_index=True)
    at = knee(totals, series.values[chosen], series.better)
    return None if at is None else series.listed[chosen[at]]


def choose(values: Floats, better: str, tolerance: float) -> tuple[int, int]:
    """Return the positions of the best value and of the first within the tolerance of it.

    Of equal best values the first counts; NaN is passed over.
    """
    best = int(np.nanargmax(values) if better == "higher" else np.nanargmin(values))
    slack = (tolerance + ROUNDING) * abs(values[best])
    return best, int(np.flatnonzero(np.abs(values - values[best]) <= slack)[0])


def _on_curve(series: Series, tolerance: float) -> tuple[Point | None, Point | None]:
    curve = series.curve
    if curve is None or not np.isfinite(curve.values).any():
        return None, None
    chosen = choose(curve.values, series.better, tolerance)
    best, within = (series.point(curve.sizes[i], curve.values[i]) for i in chosen)
    return best, within


def smallest_not_worse(series: Series, samples: Mapping[str, Floats | None]) -> str | None:
    """Return the smallest listed size that is not significantly worse than the best one.

    `samples` are the values in each resample by size, paired over sizes. Every other size is
    compared with the best (of equal ones the smallest) by a two-sided test, with Holm's correction
    over these comparisons. None where a size has no resamples, and where there are too few of them
    for any of so many comparisons to be significant.
    """
    best = series.listed[choose(series.values, series.better, 0)[0]].size
    others = [point.size for point in series.listed if point.size != best]
    at_best, drawn = samples.get(best), [samples.get(size) for size in others]
    if at_best is None or len(at_best) < resamples_needed(len(others)):
        return None
    compared = (p_value(values - at_best) for values in drawn if values is not None)
    p_values = [p for p in compared if p is not None]
    if len(p_values) < len(others):
        return None
    worse = {size for size, p in zip(others, holm(p_values), strict=True) if p < ALPHA}
    return next(point.size for point in series.listed if point.size not in worse)
