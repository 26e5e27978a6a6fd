"""From counted columns to estimates: add up by block and subset, resample, score the sums."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokbench.api import AdditiveMetric, CountTable, Metric, Segmentation, WholeMetric
from tokbench.api.count_table import read_only
from tokbench.score import count as counting
from tokbench.score.count import Columns, DistinctColumns, Segmentations, attempted
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
    named: Segmentation | None = None,
) -> Scores:
    """Score every metric on every subset of a test set where it applies.

    `segmentations` are one system's, by corpus: some metrics compare two corpora. Metrics that
    compare two systems are given the other's as `named`.
    """
    estimates: dict[tuple[str, str], Estimate] = {}
    errors: list[Error] = []
    for name, subset, result in _scored(test, metrics, segmentations, named):
        if isinstance(result, Estimate):
            estimates[name, subset] = result
        else:
            errors.append((name, result))
    return Scores(estimates, tuple(errors))


Result = tuple[str, str, Estimate | BaseException]
"""A metric, a subset, and the estimate or what the metric raised."""


class _Job(NamedTuple):
    """The columns that one metric counted, and the subset to score it on.

    They are by state, or by line if the metric is `per` line; numbers by line are by block already.
    """

    name: str
    metric: AdditiveMetric
    columns: Columns
    subset: str = "all"

    @property
    def has_tables(self) -> bool:
        """Whether any column is a histogram."""
        return any(isinstance(column, CountTable) for column in self.columns.values())


def _scored(
    test: TestSet,
    metrics: Mapping[str, Metric],
    segmentations: Segmentations,
    named: Segmentation | None,
) -> Iterator[Result]:
    segmentation = segmentations[test.corpus.name]
    cut = CutTestSet(test, segmentation)
    counted: list[_Job] = []
    for name, metric in metrics.items():
        lacking = "context" in metric.needs and segmentation.context is None
        if lacking or not test.applies(metric, "all"):
            continue
        if isinstance(metric, WholeMetric):
            value = attempted(counting.measure, metric, segmentation)
            yield name, "all", value if isinstance(value, BaseException) else Estimate(value)
        elif isinstance(metric, AdditiveMetric):
            job = attempted(_counted, name, metric, cut, segmentations, named)
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
    named: Segmentation | None,
) -> _Job:
    corpus = cut.test.corpus.name
    others = counting.inputs(metric, corpus, segmentations, named)
    job = _Job(name, metric, counting.count(metric, segmentations[corpus], others))
    if metric.per == "word" or job.has_tables:
        return job
    # Blocks are fewer than lines.
    lines = cut.table(metric, "all")
    return job._replace(columns={key: lines.add_up(c) for key, c in job.columns.items()})


def _with_numbers(cut: CutTestSet, unit: Unit, counted: Sequence[_Job]) -> Iterator[Result]:
    """Score metrics that count numbers; one product resamples all their columns."""
    distinct = DistinctColumns()
    placed = [(job, distinct.add(job.columns)) for job in _by_block(cut, unit, counted)]
    if not placed:
        return
    by_block = distinct.side_by_side()
    weights: Iterable[NDArray[np.float32]] = [np.ones((1, len(by_block)), np.float32)]
    events = [_events(job) for job, _ in placed]
    sampled = [
        _sampled(cut, job) and (found is None or found[1] >= MINIMUM_EVENT_UNITS)
        for (job, _), found in zip(placed, events, strict=True)
    ]
    if any(sampled):
        drawn = cut.test.weights[unit].chunks(by_block.shape[1], np.float32)
        weights = chain(weights, drawn)
    sums = read_only(np.ascontiguousarray(exact_sums(weights, by_block).T))
    for (job, places), has_samples, found in zip(placed, sampled, events, strict=True):
        total = {name: sums[place, 0] for name, place in places.items()}
        samples = {name: sums[place, 1:] for name, place in places.items()}
        resampled = [(sums.shape[1] - 1, samples)] if has_samples else []
        result = attempted(_estimate, cut, job, total, resampled)
        if found is not None and isinstance(result, Estimate):
            result = replace(result, events=found[0], event_units=found[1])
        yield job.name, job.subset, result


def _events(job: _Job) -> tuple[float, int] | None:
    """Count the rarer of events and what is no event, and the blocks that hold any of it."""
    if not {*job.metric.events} <= {*job.columns} or not job.metric.events:
        return None
    counted, *trials = (job.columns[name] for name in job.metric.events)
    if trials and 2 * counted.sum() > trials[0].sum():
        counted = trials[0] - counted
    return float(counted.sum()), int(np.count_nonzero(counted))


def _by_block(cut: CutTestSet, unit: Unit, counted: Sequence[_Job]) -> Iterator[_Job]:
    """Add up numbers by state to numbers by block, on each subset."""
    yield from (job for job in counted if job.metric.per == "line")
    distinct = DistinctColumns()
    placed = [(job, distinct.add(job.columns)) for job in counted if job.metric.per == "word"]
    if not placed:
        return
    by_state = distinct.side_by_side()
    for subset in cut.test.subsets:
        table = cut.table(placed[0][0].metric, subset)
        by_block = np.ascontiguousarray(table.add_up(by_state).T)
        for job, places in placed:
            columns = {name: by_block[place] for name, place in places.items()}
            yield job._replace(columns=columns, subset=subset)


def _with_tables(cut: CutTestSet, counted: Sequence[_Job]) -> Iterator[Result]:
    """Score metrics that count histograms; a table that several share is added up once."""
    for subset in cut.test.subsets:
        times: dict[str, Floats] = {}
        sums: dict[tuple[str, int], Any] = {}
        for job in counted:
            if job.metric.per == "word" or subset == "all":
                found = attempted(_of_tables, cut, job._replace(subset=subset), times, sums)
                yield job.name, subset, found


def _of_tables(
    cut: CutTestSet, job: _Job, times: dict[str, Floats], sums: dict[tuple[str, int], Any]
) -> Estimate:
    """Score one metric; `times` and `sums` hold what the metrics before it have added up."""
    per, total = job.metric.per, {}
    if per not in times:
        times[per] = cut.table(job.metric, job.subset).totals()
    for name, column in job.columns.items():
        place = per, id(column)
        if place not in sums:
            sums[place] = _sum(column, times[per])
        total[name] = sums[place]
    return _estimate(cut, job, total, _resampled(cut, job) if _sampled(cut, job) else ())


def _resampled(cut: CutTestSet, job: _Job) -> Iterator[tuple[int, Columns]]:
    """Resample columns some at a time, since histograms are wide."""
    table, columns = cut.table(job.metric, job.subset), job.columns
    widest = max(column.width for column in columns.values() if isinstance(column, CountTable))
    for drawn in cut.test.weights[job.metric.unit].chunks(widest):
        sums: dict[str, list[Any]] = {name: [] for name in columns}
        for times in map(table.totals, drawn):
            for name, column in columns.items():
                sums[name].append(_sum(column, times))
        yield len(drawn), {name: np.array(added) for name, added in sums.items()}


def _sum(column: Any, times: Floats) -> Any:
    """Add up a column, each row taken so many times."""
    return column.totals(times) if isinstance(column, CountTable) else times @ column


def _sampled(cut: CutTestSet, job: _Job) -> bool:
    return job.metric.interval and cut.test.is_resampled(job.metric.unit, job.subset)


def _estimate(
    cut: CutTestSet, job: _Job, sums: Columns, resampled: Iterable[tuple[int, Columns]]
) -> Estimate:
    """Score the sums over the whole subset, and those of resamples, some numbers at a time."""
    size = cut.segmentation.vocabulary.size
    samples = [counting.score_resamples(job.metric, drawn, size, many) for many, drawn in resampled]
    denominator = job.metric.denominator
    n = None if denominator is None else float(np.sum(sums[denominator]))
    value = counting.score(job.metric, sums, size)
    return Estimate(value, n, np.concatenate(samples) if samples else None)
