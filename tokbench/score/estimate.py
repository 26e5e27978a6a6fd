"""From counted columns to estimates: add up by block and subset, resample, score the sums."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, Segmentation, WholeMetric
from tokbench.api.words import read_only
from tokbench.score import count as counting
from tokbench.score.count import Columns, DistinctColumns, Segmentations, attempted
from tokbench.score.resample import MINIMUM_UNITS, Floats, exact_sums
from tokbench.score.tables import add_up
from tokbench.score.test_set import UNITS, CutTestSet, TestSet, Unit


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric's value, the sum of its denominator, and its value in every resample.

    `samples` is None where the metric has no interval or there are fewer than 20 units.
    """

    value: float
    n: float | None = None
    samples: Floats | None = None


Estimates = Mapping[tuple[str, str], Estimate]
"""Estimates by metric and subset."""

Error = tuple[str, BaseException]
"""The name of a metric, and what it raised."""


class Scores(NamedTuple):
    """The estimates of one segmentation, and the errors of metrics in the order they came up."""

    estimates: Estimates
    errors: tuple[Error, ...]


def score(test: TestSet, metrics: Mapping[str, Metric], segmentations: Segmentations) -> Scores:
    """Score every metric on every subset of a test set where it applies.

    `segmentations` are one system's, by corpus: some metrics compare two corpora.
    """
    estimates: dict[tuple[str, str], Estimate] = {}
    errors: list[Error] = []
    for name, subset, result in _scored(test, metrics, segmentations):
        if isinstance(result, Estimate):
            estimates[name, subset] = result
        else:
            errors.append((name, result))
    return Scores(estimates, tuple(errors))


Result = tuple[str, str, Estimate | BaseException]
"""A metric, a subset, and the estimate or what the metric raised."""


@dataclass(frozen=True, eq=False)
class _Counted:
    """The columns that one metric counted, by state, or by line if it is `per` line."""

    name: str
    metric: AdditiveMetric
    columns: Columns

    @property
    def has_tables(self) -> bool:
        """Whether any column is a histogram."""
        return any(sparse.issparse(column) for column in self.columns.values())

    def by_block(self, test: TestSet) -> "_Counted":
        """Add up numbers by line to numbers by block of lines, of which there are fewer."""
        if self.metric.per == "word" or self.has_tables:
            return self
        columns = {name: test.by_block(column) for name, column in self.columns.items()}
        return replace(self, columns=columns)


@dataclass(frozen=True, eq=False)
class _Job:
    """One metric on one subset, and where its columns stand among all that are added up."""

    item: _Counted
    subset: str
    places: Mapping[str, int]


def _scored(
    test: TestSet, metrics: Mapping[str, Metric], segmentations: Segmentations
) -> Iterator[Result]:
    corpus = test.corpus.name
    segmentation = segmentations[corpus]
    counted: list[_Counted] = []
    for name, metric in metrics.items():
        if "context" in metric.needs and segmentation.context is None:
            continue
        if not test.applies(metric, "all"):
            continue
        if isinstance(metric, WholeMetric):
            value = attempted(partial(counting.measure, metric, segmentation))
            found = value if isinstance(value, BaseException) else Estimate(value)
            yield name, "all", found
        elif isinstance(metric, AdditiveMetric):
            columns = attempted(partial(_count, metric, corpus, segmentations))
            if isinstance(columns, BaseException):
                yield name, "all", columns
            else:
                counted.append(_Counted(name, metric, columns).by_block(test))
    estimating = _Estimating(test, CutTestSet(test, segmentation), segmentation)
    for unit in UNITS:
        here = [item for item in counted if item.metric.unit == unit]
        yield from estimating.with_columns(unit, [item for item in here if not item.has_tables])
        yield from estimating.with_tables(unit, [item for item in here if item.has_tables])


def _count(metric: AdditiveMetric, corpus: str, segmentations: Segmentations) -> dict[str, Any]:
    others = counting.inputs(metric, corpus, segmentations)
    return counting.count(metric, segmentations[corpus], others)


@dataclass(frozen=True, eq=False)
class _Estimating:
    """Scores the metrics of one segmentation on all subsets of a test set."""

    test: TestSet
    cut: CutTestSet
    segmentation: Segmentation

    def with_columns(self, unit: Unit, counted: Sequence[_Counted]) -> Iterator[Result]:
        """Score metrics that count numbers; one product resamples all their columns."""
        distinct = DistinctColumns()
        jobs = [*self._line_jobs(counted, distinct), *self._word_jobs(unit, counted, distinct)]
        if not jobs:
            return
        by_block = distinct.side_by_side()
        weights: Iterable[NDArray[np.float32]] = [np.ones((1, len(by_block)), np.float32)]
        if any(map(self._sampled, jobs)):
            weights = chain(weights, self.test.weights[unit].narrow(by_block.shape[1]))
        sums = read_only(np.ascontiguousarray(exact_sums(weights, by_block).T))
        for job in jobs:
            yield self._result(job, partial(self._of_columns, job, sums))

    def _of_columns(self, job: _Job, sums: Floats) -> Estimate:
        samples = None
        if self._sampled(job):
            drawn = {n: sums[p, 1:] for n, p in job.places.items()}
            samples = self._score_many(job, drawn, sums.shape[1] - 1)
        return self._estimate(job, {n: sums[p, 0] for n, p in job.places.items()}, samples)

    def _line_jobs(self, counted: Sequence[_Counted], distinct: DistinctColumns) -> Iterator[_Job]:
        for item in counted:
            if item.metric.per == "line":
                yield _Job(item, "all", {n: distinct.add(c) for n, c in item.columns.items()})

    def _word_jobs(
        self, unit: Unit, counted: Sequence[_Counted], distinct: DistinctColumns
    ) -> Iterator[_Job]:
        by_state = DistinctColumns()
        items = [item for item in counted if item.metric.per == "word"]
        places = [{n: by_state.add(c) for n, c in item.columns.items()} for item in items]
        if not items:
            return
        by_item = self.cut.by_item(unit, by_state.side_by_side())
        for subset in self.test.subsets:
            by_block = add_up(self.cut.table(unit, subset), by_item)
            there = [distinct.add(column) for column in by_block.T]
            for item, of_item in zip(items, places, strict=True):
                yield _Job(item, subset, {name: there[p] for name, p in of_item.items()})

    def with_tables(self, unit: Unit, counted: Sequence[_Counted]) -> Iterator[Result]:
        """Score metrics that count histograms; a table that several share is added up once."""
        for subset in self.test.subsets:
            sums: dict[tuple[str, int], Any] = {}
            for item in counted:
                if item.metric.per == "word" or subset == "all":
                    job = _Job(item, subset, {})
                    yield self._result(job, partial(self._of_tables, unit, job, sums))

    def _of_tables(self, unit: Unit, job: _Job, sums: dict[tuple[str, int], Any]) -> Estimate:
        """Score one metric; its columns are wide, so they are resampled some at a time."""
        per, columns = job.item.metric.per, job.item.columns
        for column in columns.values():
            if (per, id(column)) not in sums:
                sums[per, id(column)] = self._totals(unit, job) @ column
        samples = None
        if self._sampled(job):
            turned = {name: self._by_block(unit, job, c).T for name, c in columns.items()}
            widest = max(math.prod(column.shape[1:]) for column in columns.values())
            scored = [
                self._score_many(
                    job, {name: (c @ drawn.T).T for name, c in turned.items()}, len(drawn)
                )
                for drawn in self.test.weights[unit].chunks(widest)
            ]
            samples = np.concatenate(scored)
        return self._estimate(
            job, {name: sums[per, id(column)] for name, column in columns.items()}, samples
        )

    def _totals(self, unit: Unit, job: _Job) -> Floats:
        """Return how often each state, or line, occurs in all units of the job's subset."""
        if job.item.metric.per == "line":
            return np.ones(len(self.segmentation.words.lines) - 1)
        return self.cut.state_totals(unit, job.subset)

    def _by_block(self, unit: Unit, job: _Job, column: Any) -> Any:
        if job.item.metric.per == "line":
            return self.test.by_block(column)
        return self.cut.table(unit, job.subset) @ self.cut.by_item(unit, column)

    def _sampled(self, job: _Job) -> bool:
        metric = job.item.metric
        return metric.interval and self.test.units[metric.unit, job.subset] >= MINIMUM_UNITS

    def _score_many(self, job: _Job, sums: Mapping[str, Any], many: int) -> Floats:
        size = self.segmentation.vocabulary.size
        return counting.score_resamples(job.item.metric, sums, size, many)

    def _result(self, job: _Job, estimate: Any) -> Result:
        return job.item.name, job.subset, attempted(estimate)

    def _estimate(self, job: _Job, sums: Mapping[str, Any], samples: Floats | None) -> Estimate:
        """Score the sums over the whole subset."""
        denominator = job.item.metric.denominator
        n = None if denominator is None else float(np.sum(sums[denominator]))
        value = counting.score(job.item.metric, sums, self.segmentation.vocabulary.size)
        return Estimate(value, n, samples)
