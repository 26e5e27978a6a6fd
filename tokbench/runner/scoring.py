"""Score one segmentation: unit columns of all metrics and subsets, their sums, their resamples."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, Segmentation, WholeMetric, Words
from tokbench.config import NamedMetric
from tokbench.corpora.load import TestCorpus
from tokbench.errors import TokbenchError
from tokbench.runner.failures import Failures
from tokbench.stats import MINIMUM_UNITS, Floats, Weights

Mask = NDArray[np.bool_]
Unit = Literal["line", "word"]


@dataclass(frozen=True, eq=False)
class Estimate:
    """A metric's value, the sum of its denominator, and its value in every resample.

    `samples` is None where the metric has no interval or there are fewer than 20 units.
    """

    value: float
    n: float | None = None
    samples: Floats | None = None


@dataclass(frozen=True, eq=False)
class Bench:
    """One test corpus made ready for scoring.

    `by_unit` holds, for each unit and subset, the table of units x distinct words that leaves out
    the words outside the subset; `weights` the resamples of each unit.
    """

    corpus: TestCorpus
    subsets: Mapping[str, Mask]
    by_unit: Mapping[tuple[Unit, str], sparse.csr_array]
    weights: Mapping[Unit, Weights]

    @classmethod
    def prepare(cls, corpus: TestCorpus, resamples: int, seed: int) -> "Bench":
        """Draw the weights of a corpus, once for all systems."""
        found = subsets(corpus.words)
        whole: dict[Unit, sparse.csr_array] = {
            "line": corpus.words.by_line,
            "word": sparse.csr_array(sparse.eye_array(len(corpus.words))),
        }
        by_unit = {
            (unit, name): sparse.csr_array(table @ sparse.diags_array(mask.astype(np.float64)))
            for unit, table in whole.items()
            for name, mask in found.items()
        }
        weights = {
            unit: Weights(table.shape[0], resamples, seed, f"{corpus.name}/{unit}")
            for unit, table in whole.items()
        }
        return cls(corpus, found, by_unit, weights)

    def units(self, unit: Unit, subset: str) -> int:
        """Count the lines, or distinct words, that hold any word of a subset."""
        return int((self.by_unit[unit, subset].sum(axis=1) > 0).sum())

    def applies(self, metric: Metric, subset: str) -> bool:
        """Tell whether a metric has a value on this corpus and subset."""
        if "gold" in metric.needs and self.corpus.words.gold is None:
            return False
        whole_text = isinstance(metric, WholeMetric) or _per_line(metric)
        if whole_text and subset != "all":
            return False
        return self.corpus.kind == "text" or not _per_line(metric)


def subsets(words: Words) -> dict[str, Mask]:
    """Give the subsets of a corpus's distinct words: all, unseen, and each category."""
    found = {"all": np.ones(len(words), dtype=bool), "unseen": words.train_count == 0}
    if words.category is not None:
        categories = np.array(words.category, dtype=object)
        for name in sorted(set(words.category) - {""}):
            found[f"category:{name}"] = categories == name
    return found


def score(
    bench: Bench, metrics: Sequence[NamedMetric], segmentation: Segmentation, failures: Failures
) -> dict[tuple[str, str], Estimate]:
    """Score every metric on every subset where it applies; keys are (metric, subset).

    A metric that fails costs only itself: it is added to `failures`.
    """
    estimates: dict[tuple[str, str], Estimate] = {}
    stacks: dict[Unit, list[_Job]] = {"line": [], "word": []}
    by_state = {key: table @ _states(segmentation) for key, table in bench.by_unit.items()}
    for named in metrics:
        metric = named.metric
        scopes = [subset for subset in bench.subsets if bench.applies(metric, subset)]
        with failures.guard(f"metric {named.name}"):
            if isinstance(metric, WholeMetric) and scopes:
                estimates[named.name, "all"] = Estimate(_number(metric.measure(segmentation)))
            elif isinstance(metric, AdditiveMetric) and scopes:
                counted = counted_columns(metric, segmentation)
                for subset in scopes:
                    table = by_state[metric.unit, subset]
                    columns = (
                        {name: table @ column for name, column in counted.items()}
                        if metric.per == "word"
                        else counted
                    )
                    size = segmentation.vocabulary.size
                    job = _Job(named.name, subset, metric, columns, size)
                    if job.tables:
                        estimates[named.name, subset] = _with_tables(bench, job)
                    else:
                        stacks[metric.unit].append(job)
    for unit, jobs in stacks.items():
        _score_stack(bench, bench.weights[unit], jobs, estimates, failures)
    return estimates


@dataclass(frozen=True, eq=False)
class _Job:
    """One metric on one subset: its columns by unit, dense or sparse."""

    name: str
    subset: str
    metric: AdditiveMetric
    columns: Mapping[str, Any]
    vocabulary_size: int

    @property
    def tables(self) -> bool:
        return any(sparse.issparse(column) for column in self.columns.values())

    def estimate(self, bench: Bench, sums: Mapping[str, Any], samples: Floats | None) -> Estimate:
        few = bench.units(self.metric.unit, self.subset) < MINIMUM_UNITS
        wanted = self.metric.interval and not few
        denominator = self.metric.denominator
        return Estimate(
            value=_number(self.score(sums)),
            n=None if denominator is None else float(np.sum(sums[denominator])),
            samples=samples if wanted else None,
        )

    def score(self, sums: Mapping[str, Any]) -> Any:
        with np.errstate(all="ignore"):
            return self.metric.score(sums, self.vocabulary_size)


def _score_stack(
    bench: Bench,
    weights: Weights,
    jobs: Sequence[_Job],
    estimates: dict[tuple[str, str], Estimate],
    failures: Failures,
) -> None:
    """Score metrics with dense columns, laid side by side: one product resamples them all."""
    if not jobs:
        return
    columns = [column for job in jobs for column in job.columns.values()]
    resampled = iter(weights.sums(np.column_stack(columns)).T)
    for job in jobs:
        drawn = {name: next(resampled) for name in job.columns}
        with failures.guard(f"metric {job.name}"):
            sums = {name: column.sum() for name, column in job.columns.items()}
            samples = np.asarray(job.score(drawn), dtype=np.float64)
            estimates[job.name, job.subset] = job.estimate(bench, sums, samples)


def _with_tables(bench: Bench, job: _Job) -> Estimate:
    """Score a metric with histogram columns; its resamples are drawn some at a time."""
    sums = {name: np.asarray(column.sum(axis=0)) for name, column in job.columns.items()}
    samples = None
    if job.metric.interval:
        weights = bench.weights[job.metric.unit]
        turned = {name: column.T for name, column in job.columns.items()}
        widest = max(math.prod(column.shape[1:]) for column in job.columns.values())
        scored = [
            job.score({name: (column @ drawn.T).T for name, column in turned.items()})
            for drawn in weights.chunks(widest)
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
        if (column if table else values).shape[0] != rows or values.ndim != 1:
            raise TokbenchError(f"it counted {column.shape} in {name!r}, not {rows} rows")
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


def _per_line(metric: Metric) -> bool:
    return isinstance(metric, AdditiveMetric) and metric.per == "line"


def _number(value: Any) -> float:
    """Read a metric's value; infinity, like NaN, is undefined."""
    number = float(value)
    return number if np.isfinite(number) else float("nan")
