"""From counted columns to estimates: add up by group and subset, resample, score the sums."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import NamedTuple

import numpy as np

from tokbench.api import Metric
from tokbench.api.arrays import CountTable
from tokbench.api.metric import TrainingMetric
from tokbench.api.words import read_only
from tokbench.score import count as counting
from tokbench.score.count import Columns, OtherTexts, Segmentations, attempted, side_by_side
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
    other_texts: OtherTexts,
) -> Iterator[Result]:
    segmentation = segmentations[test.corpus.name]
    cut = CutTestSet(test, segmentation)
    counted: list[_Counted] = []
    for name, metric in metrics.items():
        lacking = "context" in metric.needs and segmentation.context is None
        if lacking or not test.applies(metric, "all"):
            continue
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
    metric: Metric,
    cut: CutTestSet,
    segmentations: Segmentations,
    other_texts: OtherTexts,
) -> _Counted:
    corpus = cut.test.corpus.name
    others = counting.inputs(metric, corpus, segmentations, other_texts)
    return _Counted(name, metric, counting.count(metric, segmentations[corpus], others))


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
