"""Whole curves: a metric at every vocabulary size, from one count of all states.

The count of a state is added where the state begins and taken away where it ends; the running sum
is then that of every vocabulary at once, and `score` takes it as it takes resamples.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, Segmentation, Size, Vocabulary
from tokbench.api.segmentation import Ints
from tokbench.cut.timeline import token_totals
from tokbench.score import count as counting
from tokbench.score.count import DistinctColumns, Segmentations, attempted
from tokbench.score.resample import Floats
from tokbench.score.test_set import UNITS, TestSet, Unit

_STEP = 2.0**-20


@dataclass(frozen=True, eq=False)
class Points:
    """The sizes of a curve: as asked for, and the learned items and |V| of each.

    `unit` stands before a size in the results: nothing, or `merges:`.
    """

    asked: Ints
    learned: Ints
    total: Ints
    unit: str

    @classmethod
    def of(cls, vocabulary: Vocabulary, first: Size, last: Size) -> "Points":
        """Return every size of a range that can make a difference, none if all are too small.

        A size has the learned items that `Vocabulary.cut` leaves it. Sizes above the largest
        vocabulary all have the same, so that one of them will do.
        """
        total = token_totals(vocabulary) - len(vocabulary.unproduced)
        learned = len(total) - 1
        if first.learned is not None:
            asked = _between(first.number, last.number, 0, learned)
            chosen = np.minimum(asked, learned)
        else:
            # The item learned last may add no token: then a size beyond |V| has more items.
            beyond = learned > 0 and total[-1] == total[-2]
            asked = _between(first.number, last.number, int(total[0]), int(total[-1]) + beyond)
            chosen = np.minimum(np.searchsorted(total, asked), learned)
        unit = "" if first.learned is None else "merges:"
        return cls(asked, chosen, total[chosen], unit)

    def __len__(self) -> int:
        """Count the sizes."""
        return len(self.asked)


def _between(first: int, last: int, smallest: int, largest: int) -> Ints:
    """Return the sizes of a range that lie between two others; its first if all are above them."""
    first = max(first, smallest)
    if first > last:
        return np.zeros(0, dtype=np.int64)
    return np.arange(first, max(first, min(last, largest)) + 1)


@dataclass(frozen=True, eq=False)
class Curve:
    """A metric on one subset of a corpus at every size; NaN is undefined."""

    corpus: str
    subset: str
    metric: str
    points: Points
    values: Floats


class CorpusError(NamedTuple):
    """A metric that failed on a corpus, and what it raised."""

    corpus: str
    metric: str
    error: BaseException


class Curves(NamedTuple):
    """The curves of one system by corpus, subset and metric, and the errors of metrics."""

    curves: tuple[Curve, ...]
    errors: tuple[CorpusError, ...]


def curves(
    timelines: Segmentations,
    points: Points,
    tests: Iterable[TestSet],
    metrics: Mapping[str, Metric],
) -> Curves:
    """Draw the curves of a system from all states on each corpus.

    Metrics that count numbers by state have a curve.
    """
    scalar = {
        name: metric
        for name, metric in metrics.items()
        if isinstance(metric, AdditiveMetric) and "context" not in metric.needs
    }
    found: list[Curve] = []
    errors: list[CorpusError] = []
    for test in tests:
        corpus = test.corpus.name
        drawing = _Drawing(timelines[corpus], points, test)
        for name, metric in list(scalar.items()):
            counts = attempted(partial(drawing.counts_numbers, metric))
            if isinstance(counts, BaseException):
                errors.append(CorpusError(corpus, name, counts))
            if counts is not True:
                del scalar[name]
        drawn: dict[tuple[str, str], Floats] = {}
        for unit in UNITS:
            for name, subset, values in drawing.values(unit, scalar):
                if isinstance(values, BaseException):
                    errors.append(CorpusError(corpus, name, values))
                else:
                    drawn[name, subset] = values
        found += [
            Curve(corpus, subset, name, points, drawn[name, subset])
            for subset in test.subsets
            for name in metrics
            if (name, subset) in drawn
        ]
    return Curves(tuple(found), tuple(errors))


@dataclass(frozen=True, eq=False)
class _Drawing:
    """The curves of one system on one corpus."""

    segmentation: Segmentation
    points: Points
    test: TestSet

    def counts_numbers(self, metric: AdditiveMetric) -> bool:
        """Return whether a metric counts numbers by state, as far as this corpus shows.

        One state shows it: a histogram of all would be large, and counted for nothing.
        """
        if not self.test.applies(metric, "all"):
            return True
        return counting.has_curve(metric, self._one)

    @cached_property
    def _one(self) -> Segmentation:
        return self.segmentation.take(np.arange(1), self.segmentation.vocabulary)

    def values(
        self, unit: Unit, metrics: Mapping[str, AdditiveMetric]
    ) -> Iterator[tuple[str, str, Floats | BaseException]]:
        """Return values by metric and subset; the columns of all metrics are added up together."""
        distinct = DistinctColumns()
        counted: list[tuple[str, AdditiveMetric, dict[str, int]]] = []
        for name, metric in metrics.items():
            if metric.unit == unit and self.test.applies(metric, "all"):
                columns = attempted(partial(counting.count_states, metric, self.segmentation))
                if isinstance(columns, BaseException):
                    yield name, "all", columns
                else:
                    places = {column: distinct.add(values) for column, values in columns.items()}
                    counted.append((name, metric, places))
        if not counted:
            return
        adding = _RunningSums(self.segmentation, distinct.side_by_side())
        for subset in self.test.subsets:
            sums = adding(self.test.totals[unit, subset], self.points)
            for name, metric, places in counted:
                if self.test.applies(metric, subset):
                    chosen = {column: sums[place] for column, place in places.items()}
                    job = partial(counting.score_sizes, metric, chosen, self.points.total)
                    yield name, subset, attempted(job)


class _RunningSums:
    """Adds up states x columns over words, for every number of learned items.

    The difference between a state and the state before it is added where the state begins.
    """

    def __init__(self, segmentation: Segmentation, columns: Floats) -> None:
        coarse = np.rint(columns / _STEP) * _STEP
        fine = columns - coarse
        # Whole numbers add up exactly below 2^53. Fractions are cut at 2^-20: above it they add up
        # exactly below 2^33; the rest, at most 2^-21 each, over 2^18 words if all fractions are
        # at least 1/16, and beyond that to far more than the 12 digits that are written.
        self._cut = np.flatnonzero(fine.any(axis=0))
        self._width = columns.shape[1]
        parts = np.concatenate([coarse, fine[:, self._cut]], axis=1)
        going_on = segmentation.word[1:] == segmentation.word[:-1]
        parts[1:] -= parts[:-1] * going_on[:, None]
        self._changes = parts
        self._word = segmentation.word
        self._order = np.argsort(segmentation.since, kind="stable")
        begun = np.bincount(segmentation.since, minlength=len(segmentation.vocabulary.learned) + 1)
        self._rows = np.concatenate(([0], np.cumsum(begun)))

    def __call__(self, weights: Floats, points: Points) -> Floats:
        """Return columns x points: the sums over words, each as often as `weights` says."""
        data = weights[self._word[self._order]]
        shape = (len(self._rows) - 1, len(self._order))
        begins = sparse.csr_array((data, self._order, self._rows), shape=shape)
        running = begins @ self._changes
        np.cumsum(running, axis=0, out=running)
        sums: Floats = running[points.learned].T.copy()
        sums[self._cut] += sums[self._width :]
        return sums[: self._width]
