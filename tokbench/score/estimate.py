"""From counted columns to estimates: add up by group and subset, resample, score the sums."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isnan, nan
from typing import Any, NamedTuple

import numpy as np

from tokbench.api import AdditiveMetric, Metric, WholeMetric
from tokbench.api.arrays import CountTable
from tokbench.api.metric import TrainingMetric
from tokbench.api.words import read_only
from tokbench.score import count as counting
from tokbench.score.count import Columns, DistinctColumns, OtherTexts, Segmentations, attempted
from tokbench.score.resample import Floats, exact_sums
from tokbench.score.test_set import UNITS, CutTestSet, TestSet, Unit
from tokbench.significance import MINIMUM_EVENT_UNITS


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric's value, the sum of its denominator, and its value in every resample.

    `samples` is None where the metric has no interval, where there are fewer than 20 units, and
    where `events` are counted in `event_units` fewer than 10.
    """

    value: float
    n: float | None = None
    samples: Floats | None = None
    events: float | None = None
    event_units: int | None = None


NO_OTHER_TEXTS = OtherTexts()

Estimates = Mapping[tuple[str, str], Estimate]
"""Estimates by metric and subset."""

Error = tuple[str, BaseException]
"""The name of a metric, and what it raised."""


class Scores(NamedTuple):
    """The estimates of one segmentation, and the errors of metrics in the order they came up."""

    estimates: Estimates
    errors: tuple[Error, ...]


def score(
    test: TestSet,
    metrics: Mapping[str, Metric],
    segmentations: Segmentations,
    other_texts: OtherTexts = NO_OTHER_TEXTS,
) -> Scores:
    """Score every metric on every subset of a test set where it applies.

    `segmentations` are one system's, by corpus: some metrics compare two corpora. `other_texts` are
    for metrics that compare two systems, or that learn the training text.
    """
    estimates: dict[tuple[str, str], Estimate] = {}
    errors: list[Error] = []
    for name, subset, result in _scored(test, metrics, segmentations, other_texts):
        if isinstance(result, Estimate):
            estimates[name, subset] = result
        else:
            errors.append((name, result))
    for name, subset in estimates:  # of a text that is lost in part, no part has a value
        if isinstance(metrics[name], TrainingMetric) and isnan(estimates[name, "all"].value):
            estimates[name, subset] = Estimate(nan)
    return Scores(estimates, tuple(errors))


class _Counted(NamedTuple):
    """The columns that a metric counted: by state, pair or place, or by group if `per` line."""

    name: str
    metric: AdditiveMetric
    columns: Columns

    @property
    def has_tables(self) -> bool:
        """Whether any column is a histogram."""
        return any(isinstance(column, CountTable) for column in self.columns.values())


class _OnSubset(NamedTuple):
    """A metric on one subset, and the places of its columns among those of all metrics."""

    name: str
    metric: AdditiveMetric
    subset: str
    places: Mapping[str, int]


Result = tuple[str, str, Estimate | BaseException]
"""A metric, a subset, and the estimate or what the metric raised."""


def _scored(
    test: TestSet,
    metrics: Mapping[str, Metric],
    segmentations: Segmentations,
    other_texts: OtherTexts,
) -> Iterator[Result]:
    segmentation = segmentations[test.corpus.name]
    cut = CutTestSet(test, segmentation)
    counted: list[_Counted] = []
    for name, metric in metrics.items():
        lacking = "context" in metric.needs and segmentation.context is None
        if lacking or not test.applies(metric, "all"):
            continue
        if isinstance(metric, WholeMetric):
            value = attempted(counting.measure, metric, segmentation)
            yield name, "all", value if isinstance(value, BaseException) else Estimate(value)
        elif isinstance(metric, AdditiveMetric):
            job = attempted(_counted, name, metric, cut, segmentations, other_texts)
            if isinstance(job, BaseException):
                yield name, "all", job
            else:
                counted.append(job)
    for unit in UNITS:
        here = [job for job in counted if job.metric.unit == unit]
        yield from _with_numbers(cut, unit, [job for job in here if not job.has_tables])
        yield from _with_tables(cut, [job for job in here if job.has_tables])


def _counted(
    name: str,
    metric: AdditiveMetric,
    cut: CutTestSet,
    segmentations: Segmentations,
    other_texts: OtherTexts,
) -> _Counted:
    corpus = cut.test.corpus.name
    others = counting.inputs(metric, corpus, segmentations, other_texts)
    counted = _Counted(name, metric, counting.count(metric, segmentations[corpus], others))
    if metric.per != "line" or counted.has_tables:
        return counted
    # Groups are fewer than lines.
    lines = cut.table(metric, "all")
    by_group = {key: lines.add_up(column) for key, column in counted.columns.items()}
    return counted._replace(columns=by_group)


def _with_numbers(cut: CutTestSet, unit: Unit, counted: Sequence[_Counted]) -> Iterator[Result]:
    """Score metrics that count numbers; one product resamples all their columns."""
    if not counted:
        return
    groups, placed = _by_group(cut, counted)
    columns = [column for group in groups for column in group.T]
    resamples = cut.test.weights[unit].chunks(len(columns), np.float32)
    # The first row of weights takes each group once, so that the first sums are those of the text.
    weights = chain([np.ones((1, len(groups[0])), np.float32)], resamples)
    sums = read_only(np.ascontiguousarray(exact_sums(weights, *groups).T))
    for on_subset in placed:
        estimate = attempted(_of_numbers, cut, on_subset, columns, sums)
        yield on_subset.name, on_subset.subset, estimate


def _by_group(cut: CutTestSet, counted: Sequence[_Counted]) -> tuple[list[Floats], list[_OnSubset]]:
    """Add up numbers by state, pair or place to those by group: sets of columns.

    Return also each metric on each subset that it applies to, with the places of its columns.
    """
    groups: list[Floats] = []
    placed: list[_OnSubset] = []
    begin = 0
    for per in dict.fromkeys(job.metric.per for job in counted):
        distinct = DistinctColumns()
        together = [(job, distinct.add(job.columns)) for job in counted if job.metric.per == per]
        rows = distinct.side_by_side()
        for subset in ("all",) if per == "line" else cut.test.subsets:
            table = cut.table(together[0][0].metric, subset)
            groups.append(rows if per == "line" else table.add_up(rows))
            for job, places in together:
                own = {name: begin + place for name, place in places.items()}
                placed.append(_OnSubset(job.name, job.metric, subset, own))
            begin += rows.shape[1]
    return groups, placed


def _of_numbers(
    cut: CutTestSet, on_subset: _OnSubset, columns: Sequence[Floats], sums: Floats
) -> Estimate:
    """Score the sums of one metric on one subset, of the text and of each resample."""
    _, metric, subset, places = on_subset
    own = {name: sums[place] for name, place in places.items()}
    of_text = {name: column[0] for name, column in own.items()}
    size = cut.segmentation.vocabulary.size
    n = None if metric.denominator is None else float(of_text[metric.denominator])
    events, units = _events(metric, of_text, {name: columns[at] for name, at in places.items()})
    few = units is not None and units < MINIMUM_EVENT_UNITS
    if few or not _sampled(cut, metric, subset):
        value = counting.check_range(metric, counting.score(metric, of_text, size))
        return Estimate(float(value), n, None, events, units)
    scores = counting.score(metric, own, size, (sums.shape[1],))
    counting.check_range(metric, scores[:1])
    return Estimate(float(scores[0]), n, scores[1:], events, units)


def _events(
    metric: AdditiveMetric, totals: Columns, columns: Columns
) -> tuple[float, int] | tuple[None, None]:
    """Count the rarer of events and what is no event, and the groups that hold any of it."""
    if not metric.events or not {*metric.events} <= {*columns}:
        return None, None
    counted, *trials = metric.events
    events, groups = totals[counted], columns[counted]
    if trials and 2 * events > totals[trials[0]]:
        events, groups = totals[trials[0]] - events, columns[trials[0]] - groups
    return float(events), int(np.count_nonzero(groups))


def _with_tables(cut: CutTestSet, counted: Sequence[_Counted]) -> Iterator[Result]:
    """Score metrics that count histograms.

    How many types a histogram has depends on how many words it counts: parts of a text, which are
    of any size, have no comparable values.
    """
    for subset in cut.test.undivided:
        for job in counted:
            if job.metric.per != "line" or subset == "all":
                yield job.name, subset, attempted(_of_tables, cut, job, subset)


def _of_tables(cut: CutTestSet, job: _Counted, subset: str) -> Estimate:
    """Score the histograms of one metric on one subset."""
    metric, size = job.metric, cut.segmentation.vocabulary.size
    table = cut.table(metric, subset)
    times = table.totals()
    total = {name: _sum(column, times) for name, column in job.columns.items()}
    n = None if metric.denominator is None else float(np.sum(total[metric.denominator]))
    value = float(counting.check_range(metric, counting.score(metric, total, size)))
    if not _sampled(cut, metric, subset):
        return Estimate(value, n)
    resampled = [
        counting.score(metric, sums, size, (number,))
        for number, sums in _resampled(cut, job, table)
    ]
    return Estimate(value, n, np.concatenate(resampled))


def _resampled(cut: CutTestSet, job: _Counted, table: CountTable) -> Iterator[tuple[int, Columns]]:
    """Resample columns some at a time, since histograms are wide."""
    columns = job.columns
    widest = max(column.width for column in columns.values() if isinstance(column, CountTable))
    for drawn in cut.test.weights[job.metric.unit].chunks(widest):
        times = [table.totals(weights) for weights in drawn]
        yield (
            len(drawn),
            {
                name: np.array([_sum(column, drawn_times) for drawn_times in times])
                for name, column in columns.items()
            },
        )


def _sum(column: Any, times: Floats) -> Any:
    """Add up a column, each row taken so many times."""
    return column.totals(times) if isinstance(column, CountTable) else times @ column


def _sampled(cut: CutTestSet, metric: AdditiveMetric, subset: str) -> bool:
    return metric.interval and cut.test.is_resampled(metric.unit, subset)
