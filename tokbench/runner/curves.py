"""Whole curves: a metric at every vocabulary size, from one count of all states.

What a state counts is added where the state begins and taken away where it ends; the running sum
is then that of every vocabulary at once, and `score` takes it as it takes resamples.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from tokbench.api import AdditiveMetric, Segmentation
from tokbench.config import NamedMetric
from tokbench.errors import TokbenchError
from tokbench.runner.bench import UNITS, Bench, Unit
from tokbench.runner.counting import Distinct
from tokbench.runner.failures import Failures
from tokbench.runner.points import Points
from tokbench.runner.runningsums import RunningSums
from tokbench.stats import Floats


@dataclass(frozen=True, eq=False)
class Curve:
    """A metric of one system on one subset of a corpus at every size; NaN is undefined."""

    system: str
    corpus: str
    subset: str
    metric: str
    points: Points
    values: Floats


def curves(
    system: str,
    timelines: Mapping[str, Segmentation],
    points: Points,
    benches: Iterable[Bench],
    metrics: Sequence[NamedMetric],
    failures: Failures,
) -> Iterator[Curve]:
    """Give the curves of a system by corpus, subset and metric, from all states on each corpus.

    Metrics have one that count numbers by state; one that fails costs only itself.
    """
    scalar = [named for named in metrics if "context" not in named.metric.needs]
    for bench in benches:
        corpus = bench.corpus.name
        drawing = _Drawing(
            timelines[corpus], points, bench, failures, f"curve of system {system}, corpus {corpus}"
        )
        scalar = [named for named in scalar if drawing.counts_numbers(named)]
        found = {key: values for unit in UNITS for key, values in drawing.values(unit, scalar)}
        for subset in bench.subsets:
            for named in metrics:
                if (named.name, subset) in found:
                    values = found[named.name, subset]
                    yield Curve(system, corpus, subset, named.name, points, values)


@dataclass(frozen=True, eq=False)
class _Counted:
    """What one metric counted by state, by the places of its columns among all."""

    name: str
    metric: AdditiveMetric
    places: Mapping[str, int]


@dataclass(frozen=True, eq=False)
class _Drawing:
    """The curves of one system on one corpus; `place` is named where a metric fails."""

    segmentation: Segmentation
    points: Points
    bench: Bench
    failures: Failures
    place: str

    def guard(self, name: str) -> AbstractContextManager[None]:
        """Let a metric's failure cost only that metric."""
        return self.failures.guard(f"metric {name}", self.place)

    def counts_numbers(self, named: NamedMetric) -> bool:
        """Tell whether a metric counts numbers by state, as far as this corpus can tell.

        One state tells: a histogram of all would be large, and counted for nothing.
        """
        metric = named.metric
        if not isinstance(metric, AdditiveMetric):
            return False
        if self.bench.applies(metric, "all"):
            with self.guard(named.name):
                columns = metric.count_states(self._one)
                return columns is not None and not any(map(sparse.issparse, columns.values()))
            return False
        return True

    @cached_property
    def _one(self) -> Segmentation:
        return self.segmentation.take(np.arange(1), self.segmentation.vocabulary)

    def values(
        self, unit: Unit, metrics: Sequence[NamedMetric]
    ) -> Iterator[tuple[tuple[str, str], Floats]]:
        """Give values by metric and subset; the columns of all metrics are added up together."""
        distinct = Distinct()
        counted = list(self._counted(unit, metrics, distinct))
        if not counted:
            return
        adding = RunningSums(self.segmentation, distinct.side_by_side())
        for subset in self.bench.subsets:
            sums = adding(self.bench.total[unit, subset], self.points)
            for item in counted:
                if self.bench.applies(item.metric, subset):
                    with self.guard(item.name):
                        columns = {name: sums[place] for name, place in item.places.items()}
                        yield (item.name, subset), _score(item.metric, columns, self.points)

    def _counted(
        self, unit: Unit, metrics: Sequence[NamedMetric], distinct: Distinct
    ) -> Iterator[_Counted]:
        for named in metrics:
            metric = named.metric
            assert isinstance(metric, AdditiveMetric)  # others count nothing by state
            if metric.unit == unit and self.bench.applies(metric, "all"):
                with self.guard(named.name):
                    columns = counted_by_state(metric, self.segmentation)
                    places = {name: distinct.add(column) for name, column in columns.items()}
                    yield _Counted(named.name, metric, places)


def counted_by_state(metric: AdditiveMetric, segmentation: Segmentation) -> dict[str, Floats]:
    """Count numbers by state, and check the columns that a metric gives; none without a curve."""
    columns = metric.count_states(segmentation) or {}
    checked = {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}
    for name, column in checked.items():
        if column.shape != (len(segmentation),) or not np.isfinite(column).all():
            what = f"it counted {column.shape} in {name!r}, not one finite number a state"
            raise TokbenchError(what)
    return checked


def _score(metric: AdditiveMetric, sums: Mapping[str, Floats], points: Points) -> Floats:
    with np.errstate(all="ignore"):
        # A metric takes |V| as it takes its sums: one number, or an array of them.
        size: Any = points.total
        values = np.asarray(metric.score(sums, size), dtype=np.float64)
    if values.shape != (len(points),):
        raise TokbenchError(f"it scored {len(points)} sums as {values.shape}")
    return np.where(np.isfinite(values), values, np.nan)
