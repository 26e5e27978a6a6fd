"""Score one segmentation: count, add up by unit and subset, resample, score the sums."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from tokbench.api import AdditiveMetric, Segmentation, WholeMetric
from tokbench.config import NamedMetric
from tokbench.errors import TokbenchError
from tokbench.runner.bench import UNITS, Bench, Unit
from tokbench.runner.failures import Failures
from tokbench.stats import MINIMUM_UNITS, Floats

Columns = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric's value, the sum of its denominator, and its value in every resample.

    `samples` is None where the metric has no interval or there are fewer than 20 units.
    """

    value: float
    n: float | None = None
    samples: Floats | None = None


def score(
    bench: Bench,
    metrics: Sequence[NamedMetric],
    segmentation: Segmentation,
    failures: Failures,
    system: str = "",
) -> dict[tuple[str, str], Estimate]:
    """Score every metric on every subset where it applies; keys are (metric, subset).

    A metric that fails costs only itself: it is added to `failures`, with `system` and corpus.
    """
    place = ", ".join(part for part in (system, f"corpus {bench.corpus.name}") if part)
    estimates: dict[tuple[str, str], Estimate] = {}
    counted: list[_Counted] = []
    for named in metrics:
        metric = named.metric
        if bench.applies(metric, "all"):
            with failures.guard(f"metric {named.name}", place):
                if isinstance(metric, WholeMetric):
                    value = _number(metric.measure(segmentation))
                    estimates[named.name, "all"] = Estimate(value)
                elif isinstance(metric, AdditiveMetric):
                    columns = counted_columns(metric, segmentation)
                    counted.append(_Counted(named.name, metric, columns))
    states = _states(segmentation)
    size = segmentation.vocabulary.size
    for unit in UNITS:
        here = [item for item in counted if item.metric.unit == unit]
        jobs = list(_dense_jobs(bench, unit, [c for c in here if not c.tables], states, size))
        _score_stack(bench, unit, jobs, estimates, failures, place)
        for item in here:
            if item.tables:
                for subset in bench.subsets if item.metric.per == "word" else ("all",):
                    with failures.guard(f"metric {item.name}", place):
                        key = (item.name, subset)
                        estimates[key] = _with_tables(bench, item, subset, states, size)
    return estimates


@dataclass(frozen=True, eq=False)
class _Counted:
    """What one metric counted, by state or by line."""

    name: str
    metric: AdditiveMetric
    columns: Columns

    @property
    def tables(self) -> bool:
        return any(sparse.issparse(column) for column in self.columns.values())


def _dense_jobs(
    bench: Bench,
    unit: Unit,
    counted: Sequence[_Counted],
    states: sparse.csr_array,
    size: int,
) -> "Iterator[_Job]":
    """Add up the columns of all metrics by unit, for each subset in one product."""
    for item in counted:
        if item.metric.per == "line":
            yield _Job(item.name, "all", item.metric, item.columns, size)
    by_word = [item for item in counted if item.metric.per == "word"]
    columns = [column for item in by_word for column in item.columns.values()]
    if not columns:
        return
    side_by_side = states @ np.column_stack(columns)
    for subset in bench.subsets:
        added = iter((bench.by_unit[unit, subset] @ side_by_side).T)
        for item in by_word:
            by_unit = {name: next(added) for name in item.columns}
            yield _Job(item.name, subset, item.metric, by_unit, size)


@dataclass(frozen=True, eq=False)
class _Job:
    """One metric on one subset: its columns by unit."""

    name: str
    subset: str
    metric: AdditiveMetric
    columns: Mapping[str, Any]
    vocabulary_size: int

    def estimate(self, bench: Bench, sums: Mapping[str, Any], samples: Floats | None) -> Estimate:
        enough = bench.units[self.metric.unit, self.subset] >= MINIMUM_UNITS
        denominator = self.metric.denominator
        return Estimate(
            value=_number(self.score(sums)),
            n=None if denominator is None else float(np.sum(sums[denominator])),
            samples=samples if self.metric.interval and enough else None,
        )

    def score(self, sums: Mapping[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            return self.metric.score(sums, self.vocabulary_size)


def _score_stack(
    bench: Bench,
    unit: Unit,
    jobs: Sequence[_Job],
    estimates: dict[tuple[str, str], Estimate],
    failures: Failures,
    place: str,
) -> None:
    """Score metrics with dense columns, laid side by side: one product resamples them all."""
    if not jobs:
        return
    columns = [column for job in jobs for column in job.columns.values()]
    resampled = iter(bench.weights[unit].sums(np.column_stack(columns)).T)
    for job in jobs:
        drawn = {name: next(resampled) for name in job.columns}
        with failures.guard(f"metric {job.name}", place):
            sums = {name: column.sum() for name, column in job.columns.items()}
            samples = np.asarray(job.score(drawn), dtype=np.float64)
            estimates[job.name, job.subset] = job.estimate(bench, sums, samples)


def _with_tables(
    bench: Bench, item: _Counted, subset: str, states: sparse.csr_array, size: int
) -> Estimate:
    """Score a metric with histogram columns; its resamples are drawn some at a time."""
    job = _Job(item.name, subset, item.metric, item.columns, size)
    key = (item.metric.unit, subset)
    by_line = item.metric.per == "line"
    whole = np.ones(len(bench.corpus.words.lines) - 1) if by_line else bench.total[key] @ states
    sums = {name: whole @ column for name, column in item.columns.items()}
    samples = None
    if item.metric.interval:
        table = sparse.eye_array(len(whole)) if by_line else bench.by_unit[key] @ states
        turned = {name: (table @ column).T for name, column in item.columns.items()}
        widest = max(math.prod(column.shape[1:]) for column in item.columns.values())
        scored = [
            job.score({name: (column @ drawn.T).T for name, column in turned.items()})
            for drawn in bench.weights[item.metric.unit].chunks(widest)
        ]
        samples = np.concatenate(scored)
    return job.estimate(bench, sums, samples)


def counted_columns(metric: AdditiveMetric, segmentation: Segmentation) -> dict[str, Any]:
    """Count, and check the columns that a metric gives."""
    by_line = metric.per == "line"
    rows = len(segmentation.words.lines) - 1 if by_line else len(segmentation)
    columns = metric.count(segmentation)
    if not isinstance(columns, Mapping) or not columns:
        raise TokbenchError("it counted no columns")
    checked = {}
    for name, column in columns.items():
        table = sparse.issparse(column)
        values = column.data if table else np.asarray(column)
        shape = column.shape if table else values.shape
        if shape[:1] != (rows,) or values.ndim != 1:
            raise TokbenchError(f"it counted {shape} in {name!r}, not {rows} rows")
        if not np.isfinite(values).all():
            raise TokbenchError(f"it counted NaN or infinity in {name!r}")
        checked[name] = sparse.csr_array(column) if table else values.astype(np.float64)
    if metric.denominator is not None and metric.denominator not in checked:
        raise TokbenchError(f"it counts no column {metric.denominator!r} for its n")
    return checked


def _states(segmentation: Segmentation) -> sparse.csr_array:
    """Give the table of distinct words x states that adds up the states of each word."""
    ones = np.ones(len(segmentation))
    states = np.arange(len(segmentation))
    shape = (len(segmentation.words), len(segmentation))
    return sparse.csr_array((ones, (segmentation.word, states)), shape=shape)


def _number(value: Any) -> float:
    """Read a metric's value; infinity, like NaN, is undefined."""
    number = float(value)
    return number if np.isfinite(number) else float("nan")
