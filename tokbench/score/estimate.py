"""From counted columns to estimates: add up by group and subset, resample, score the sums."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from tokbench.api import Metric
from tokbench.api.arrays import CountTable, Segmentation
from tokbench.api.metric import TrainingLines, TrainingMetric
from tokbench.api.words import read_only
from tokbench.score import count as counting
from tokbench.score.count import Columns, Segmentations, attempted, side_by_side
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
    reference: Segmentation | None = None,
    training: Callable[[], TrainingLines] | None = None,
) -> Scores:
    """Score every metric on every subset of a test set where it applies.

    `segmentations` are one system's, by corpus: some metrics compare two corpora. `reference` is
    the same text, cut by the system that a metric names; `training` returns the training text, for
    metrics that learn from it.
    """
    estimates: dict[tuple[str, str], Estimate] = {}
    errors: list[Error] = []
    for name, subset, result in _scored(test, metrics, segmentations, reference, training):
        if isinstance(result, Estimate):
            estimates[name, subset] = result
        else:
            errors.append((name, result))
    for name, subset in estimates:  # of a text that is lost in part, no part has a value
        if isinstance(metrics[name], TrainingMetric) and isnan(estimates[name, "all"].value):
            estimates[name, subset] = Estimate(nan)
    return Scores(estimates, tuple(errors))


class _Counted(NamedTuple):
    """The columns that a metric counted: by state, line, pair or place."""

    name: str
    metric: Metric
    columns: Columns

    @property
    def has_tables(self) -> bool:
        """Whether any column is a histogram."""
        return any(isinstance(column, CountTable) for column in self.columns.values())


Result = tuple[str, str, Estimate | BaseException]
"""A metric, a subset, and the estimate or what the metric raised."""


def _scored(
    test: TestSet,
    metrics: Mapping[str, Metric],
    segmentations: Segmentations,
    reference: Segmentation | None,
    training: Callable[[], TrainingLines] | None,
) -> Iterator[Result]:
    corpus = test.corpus.name
    segmentation = segmentations[corpus]

    def columns_of(metric: Metric) -> Columns:
        others = counting.inputs(metric, corpus, segmentations, reference, training)
        return counting.count(metric, segmentation, others)

    cut = CutTestSet(test, segmentation)
    counted: list[_Counted] = []
    for name, metric in metrics.items():
        lacking = "context" in metric.needs and segmentation.context is None
        if lacking or not test.applies(metric, "all"):
            continue
        columns = attempted(columns_of, metric)
        if isinstance(columns, BaseException):
            yield name, "all", columns
        else:
            counted.append(_Counted(name, metric, columns))
    for unit in UNITS:
        here = [job for job in counted if job.metric.unit == unit]
        yield from _with_numbers(cut, unit, [job for job in here if not job.has_tables])
        yield from _with_tables(cut, [job for job in here if job.has_tables])


def _with_numbers(cut: CutTestSet, unit: Unit, counted: Sequence[_Counted]) -> Iterator[Result]:
    """Score metrics that count numbers; one product resamples all their columns."""
    if not counted:
        return
    groups: list[Floats] = []
    placed: list[tuple[_Counted, str, list[int]]] = []
    begin = 0
    for per in dict.fromkeys(job.metric.per for job in counted):
        together = [job for job in counted if job.metric.per == per]
        rows, places = side_by_side([job.columns for job in together])
        # A line has words of several subsets, so what is counted by line is of all.
        for subset in ("all",) if per == "line" else cut.test.subsets:
            groups.append(cut.table(together[0].metric, subset).add_up(rows))
            for job, by_name in zip(together, places, strict=True):
                placed.append((job, subset, [begin + place for place in by_name.values()]))
            begin += rows.shape[1]
    columns = [column for group in groups for column in group.T]
    sums = read_only(np.ascontiguousarray(exact_sums(cut.test.weights[unit], *groups).T))
    for job, subset, own in placed:
        by_group = dict(zip(job.columns, (columns[place] for place in own), strict=True))
        drawn = dict(zip(job.columns, (sums[place] for place in own), strict=True))
        yield job.name, subset, attempted(_of_numbers, cut, job.metric, subset, by_group, drawn)


def _of_numbers(
    cut: CutTestSet, metric: Metric, subset: str, by_group: Columns, sums: Columns
) -> Estimate:
    """Score the sums of one metric on one subset: the first of the text, then each resample."""
    of_text = {name: column[0] for name, column in sums.items()}
    size = cut.segmentation.vocabulary.size
    n = None if metric.denominator is None else float(of_text[metric.denominator])
    events, units = _events(metric, of_text, by_group)
    few = units is not None and units < MINIMUM_EVENT_UNITS
    if few or not metric.interval or not cut.test.is_resampled(metric.unit, subset):
        value = counting.check_range(metric, counting.score(metric, of_text, size))
        return Estimate(float(value), n, None, events, units)
    scores = counting.score(metric, sums, size, next(iter(sums.values())).shape)
    counting.check_range(metric, scores[:1])
    return Estimate(float(scores[0]), n, scores[1:], events, units)


def _events(
    metric: Metric, totals: Columns, columns: Columns
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
    """Score metrics that count histograms, which have no interval.

    How many types a histogram has depends on how many words it counts. So a resample, which has
    fewer distinct ones, has no comparable value, nor have parts of a text, which are of any size.
    """
    for subset in cut.test.undivided:
        for job in counted:
            if job.metric.per != "line" or subset == "all":
                yield job.name, subset, attempted(_of_tables, cut, job, subset)


def _of_tables(cut: CutTestSet, job: _Counted, subset: str) -> Estimate:
    """Score the histograms of one metric on one subset."""
    metric = job.metric
    times = cut.table(metric, subset).totals()
    sums = {
        name: column.totals(times) if isinstance(column, CountTable) else times @ column
        for name, column in job.columns.items()
    }
    value = counting.score(metric, sums, cut.segmentation.vocabulary.size)
    n = None if metric.denominator is None else float(np.sum(sums[metric.denominator]))
    return Estimate(float(counting.check_range(metric, value)), n)
