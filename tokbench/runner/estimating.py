"""From counted columns to estimates: add up by block and subset, resample, score the sums."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api import AdditiveMetric, Segmentation
from tokbench.runner.bench import Bench, Unit
from tokbench.runner.counting import Columns, Distinct
from tokbench.runner.tables import add_up, count_by_row, masked
from tokbench.stats import MINIMUM_UNITS, Floats, exact_sums

Estimates = dict[tuple[str, str], "Estimate"]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric's value, the sum of its denominator, and its value in every resample.

    `samples` is None where the metric has no interval or there are fewer than 20 units.
    """

    value: float
    n: float | None = None
    samples: Floats | None = None


@dataclass(frozen=True, eq=False)
class MetricColumns:
    """What one metric counted, by state, or by line if its values are `per` line."""

    name: str
    metric: AdditiveMetric
    columns: Columns

    @property
    def tables(self) -> bool:
        """Whether any column is a histogram."""
        return any(sparse.issparse(column) for column in self.columns.values())

    def by_block(self, bench: Bench) -> "MetricColumns":
        """Add up what is by line to what is by block of lines, of which there are fewer."""
        if self.metric.per == "word":
            return self
        columns = {name: bench.by_block(column) for name, column in self.columns.items()}
        return replace(self, columns=columns)


@dataclass(frozen=True, eq=False)
class _Job:
    """One metric on one subset, and where its columns stand among all that are added up."""

    item: MetricColumns
    subset: str
    places: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Estimating:
    """What it takes to score the metrics of one segmentation; fills `estimates`.

    `guard`, by a metric's name, lets its failure cost only that metric.
    """

    bench: Bench
    segmentation: Segmentation
    guard: Callable[[str], AbstractContextManager[None]]
    estimates: Estimates

    def with_columns(self, unit: Unit, counted: Sequence[MetricColumns]) -> None:
        """Score metrics that count numbers; one product resamples all their columns.

        Those of lines must be `by_block` already.
        """
        distinct = Distinct()
        jobs = [*self._line_jobs(counted, distinct), *self._word_jobs(unit, counted, distinct)]
        if not jobs:
            return
        by_block = distinct.side_by_side()
        weights: Iterable[NDArray[np.float32]] = [np.ones((1, len(by_block)), np.float32)]
        if any(map(self._sampled, jobs)):
            weights = chain(weights, self.bench.weights[unit].narrow(by_block.shape[1]))
        sums = np.ascontiguousarray(exact_sums(weights, by_block).T)
        for job in jobs:
            with self.guard(job.item.name):
                samples = None
                if self._sampled(job):
                    samples = self._score(job, {n: sums[p, 1:] for n, p in job.places.items()})
                self._add(job, {n: sums[p, 0] for n, p in job.places.items()}, samples)

    def _line_jobs(self, counted: Sequence[MetricColumns], distinct: Distinct) -> Iterator[_Job]:
        for item in counted:
            if item.metric.per == "line":
                yield _Job(item, "all", {n: distinct.add(c) for n, c in item.columns.items()})

    def _word_jobs(
        self, unit: Unit, counted: Sequence[MetricColumns], distinct: Distinct
    ) -> Iterator[_Job]:
        by_state = Distinct()
        items = [item for item in counted if item.metric.per == "word"]
        places = [{n: by_state.add(c) for n, c in item.columns.items()} for item in items]
        if not items:
            return
        by_item = self._by_item(unit, by_state.side_by_side())
        for subset in self.bench.subsets:
            by_block = add_up(self._table(unit, subset), by_item)
            there = [distinct.add(column) for column in by_block.T]
            for item, of_item in zip(items, places, strict=True):
                yield _Job(item, subset, {name: there[p] for name, p in of_item.items()})

    def with_tables(self, unit: Unit, counted: Sequence[MetricColumns]) -> None:
        """Score metrics that count histograms; a table that several share is added up once."""
        for subset in self.bench.subsets:
            sums: dict[tuple[str, int], Any] = {}
            for item in counted:
                if item.metric.per == "word" or subset == "all":
                    with self.guard(item.name):
                        self._score_tables(unit, _Job(item, subset, {}), sums)

    def _score_tables(self, unit: Unit, job: _Job, sums: dict[tuple[str, int], Any]) -> None:
        """Score one metric; its columns are wide, so they are resampled some at a time."""
        per, columns = job.item.metric.per, job.item.columns
        for column in columns.values():
            if (per, id(column)) not in sums:
                sums[per, id(column)] = self._whole(unit, job) @ column
        samples = None
        if self._sampled(job):
            turned = {name: self._by_block(unit, job, c).T for name, c in columns.items()}
            widest = max(math.prod(column.shape[1:]) for column in columns.values())
            scored = [
                self._score(job, {name: (c @ drawn.T).T for name, c in turned.items()})
                for drawn in self.bench.weights[unit].chunks(widest)
            ]
            samples = np.concatenate(scored)
        self._add(job, {name: sums[per, id(column)] for name, column in columns.items()}, samples)

    def _whole(self, unit: Unit, job: _Job) -> Floats:
        """Give how often each state, or line, occurs in all units of the job's subset."""
        if job.item.metric.per == "line":
            return np.ones(len(self.segmentation.words.lines) - 1)
        if self._in_lines(unit):
            chosen = self.bench.subsets[job.subset][self.segmentation.word]
            return (self.segmentation.count * chosen).astype(np.float64)
        return self.bench.total[unit, job.subset][self.segmentation.word] * self._shares

    def _by_block(self, unit: Unit, job: _Job, column: Any) -> Any:
        if job.item.metric.per == "line":
            return self.bench.by_block(column)
        return self._table(unit, job.subset) @ self._by_item(unit, column)

    def _in_lines(self, unit: Unit) -> bool:
        """Whether states are counted where they stand, not words: in context they differ."""
        return unit == "line" and self.segmentation.context is not None

    def _by_item(self, unit: Unit, by_state: Any) -> Any:
        """Give columns by what the tables count: by state where it stands, else by word."""
        return by_state if self._in_lines(unit) else self._states @ by_state

    def _table(self, unit: Unit, subset: str) -> sparse.csr_array:
        """Give the table of blocks x words, or of blocks x states, of a subset."""
        if not self._in_lines(unit):
            return self.bench.by_unit[unit, subset]
        return masked(self._running, self.bench.subsets[subset][self.segmentation.word])

    @cached_property
    def _running(self) -> sparse.csr_array:
        """How often each block of lines holds each state of a segmentation in context."""
        assert self.segmentation.context is not None
        ends = self.segmentation.words.lines[self.bench.blocks["line"]]
        return count_by_row(self.segmentation.context.order, ends, len(self.segmentation))

    @cached_property
    def _shares(self) -> Floats:
        """The share that each state has of its word; 1 where a word has one state."""
        if self.segmentation.context is None:
            return np.ones(len(self.segmentation))
        shares: Floats = (
            self.segmentation.count / self.segmentation.words.count[self.segmentation.word]
        )
        return shares

    @cached_property
    def _states(self) -> sparse.csr_array:
        """The table of distinct words x states that adds up the states of each word."""
        words, states = len(self.segmentation.words), len(self.segmentation)
        places = (self.segmentation.word, np.arange(states))
        return sparse.csr_array((self._shares, places), shape=(words, states))

    def _sampled(self, job: _Job) -> bool:
        metric = job.item.metric
        return metric.interval and self.bench.units[metric.unit, job.subset] >= MINIMUM_UNITS

    def _score(self, job: _Job, sums: Mapping[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            size = self.segmentation.vocabulary.size
            return np.asarray(job.item.metric.score(sums, size), dtype=np.float64)

    def _add(self, job: _Job, sums: Mapping[str, Any], samples: Floats | None) -> None:
        """Score the sums over the whole subset and keep the estimate."""
        denominator = job.item.metric.denominator
        n = None if denominator is None else float(np.sum(sums[denominator]))
        value = number(self._score(job, sums))
        self.estimates[job.item.name, job.subset] = Estimate(value, n, samples)


def number(value: Any) -> float:
    """Read a metric's value; infinity, like NaN, is undefined."""
    number = float(value)
    return number if np.isfinite(number) else float("nan")
