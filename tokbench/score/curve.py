"""Whole curves: a metric at every vocabulary size, from one count of all states.

The count of a state is added where the state begins and taken away where it ends; the running sum
is then that of every vocabulary at once, and `score` takes it as it takes resamples.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tokbench.api import Metric, Size, Vocabulary
from tokbench.api.arrays import CountTable, Segmentation
from tokbench.api.words import Ints
from tokbench.cut.timeline import token_totals
from tokbench.score import count as counting
from tokbench.score.count import Columns, Segmentations, attempted, side_by_side
from tokbench.score.resample import Floats
from tokbench.score.test_set import UNITS, TestSet

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
        merges = first.learned is not None
        # The item learned last may add no token: then a size beyond |V| has more items.
        beyond = learned > 0 and total[-1] == total[-2]
        smallest, largest = (0, learned) if merges else (int(total[0]), int(total[-1]) + beyond)
        begin = max(first.number, smallest)
        asked = np.arange(begin, min(last.number, max(begin, largest)) + 1)
        chosen = np.minimum(asked if merges else np.searchsorted(total, asked), learned)
        return cls(asked, chosen, total[chosen], first.prefix)

    def __len__(self) -> int:
        """Count the sizes."""
        return len(self.asked)


@dataclass(frozen=True, eq=False)
class Curve:
    """A metric on one subset of a corpus at every size; NaN is undefined."""

    corpus: str
    subset: str
    metric: str
    points: Points
    values: Floats


CorpusError = tuple[str, str, BaseException]
"""A corpus, a metric that failed on it, and what it raised."""


def curves(
    timelines: Segmentations,
    points: Points,
    tests: Iterable[TestSet],
    metrics: Mapping[str, Metric],
) -> tuple[list[Curve], list[CorpusError]]:
    """Draw the curves of a system from all states on each corpus; return also the errors.

    Metrics that count numbers by state have a curve.
    """
    alone = {name: metric for name, metric in metrics.items() if "context" not in metric.needs}
    drawn_curves: list[Curve] = []
    errors: list[CorpusError] = []
    for test in tests:
        corpus = test.corpus.name
        drawn: dict[tuple[str, str], Floats] = {}
        for name, subset, values in _drawn(timelines[corpus], points, test, alone):
            if isinstance(values, BaseException):
                errors.append((corpus, name, values))
            else:
                drawn[name, subset] = values
        drawn_curves += [
            Curve(corpus, subset, name, points, drawn[name, subset])
            for subset in test.main_subsets
            for name in metrics
            if (name, subset) in drawn
        ]
    return drawn_curves, errors


def _drawn(
    segmentation: Segmentation, points: Points, test: TestSet, metrics: Mapping[str, Metric]
) -> Iterator[tuple[str, str, Floats | BaseException]]:
    """Yield values by metric and subset; the columns of all metrics are added up together."""
    for unit in UNITS:
        counted: dict[str, Columns] = {}
        for name, metric in metrics.items():
            if metric.unit == unit and test.applies(metric, "all"):
                columns = attempted(counting.count_states, metric, segmentation)
                if isinstance(columns, BaseException):
                    yield name, "all", columns
                elif columns is not None:
                    counted[name] = columns
        if not counted:
            continue
        rows, placed = side_by_side([*counted.values()])
        weights = [test.totals[unit, subset] for subset in test.main_subsets]
        changes, cut = _changes(segmentation.word, rows)
        by_subset = _running_sums(segmentation, changes, cut, points.learned, weights)
        for subset, sums in zip(test.main_subsets, by_subset, strict=True):
            for name, places in zip(counted, placed, strict=True):
                if test.applies(metrics[name], subset):
                    own = {column: sums[place] for column, place in places.items()}
                    yield name, subset, attempted(_values, metrics[name], own, points.total)


def _values(metric: Metric, sums: Columns, vocabulary_sizes: Ints) -> Floats:
    scores = counting.score(metric, sums, vocabulary_sizes, vocabulary_sizes.shape)
    return counting.check_range(metric, scores)


def _changes(word: Ints, columns: Floats) -> tuple[Floats, Ints]:
    """Return by how much each state differs from the state of its word before it.

    A column with fractions is cut into two, the finer after all others: return also which are.
    """
    # Whole numbers add up exactly below 2^53. Fractions are cut at 2^-20: above it they add up
    # exactly below 2^33; the rest, at most 2^-21 each, over 2^18 words if all fractions are
    # at least 1/16, and beyond that to far more than the 12 digits that are written.
    coarse = np.rint(columns / _STEP) * _STEP
    fine = columns - coarse
    cut = np.flatnonzero(fine.any(axis=0))
    changes = np.concatenate([coarse, fine[:, cut]], axis=1)
    changes[1:] -= changes[:-1] * (word[1:] == word[:-1])[:, None]
    return changes, cut


def _running_sums(
    segmentation: Segmentation, changes: Floats, cut: Ints, learned: Ints, weights: Iterable[Floats]
) -> Iterator[Floats]:
    """Add up the changes at numbers of learned items, words by weight: columns x numbers."""
    order = np.argsort(segmentation.since, kind="stable")
    begun = np.bincount(segmentation.since, minlength=len(segmentation.vocabulary.learned) + 1)
    rows = np.append(0, np.cumsum(begun))
    width = changes.shape[1] - len(cut)
    for weight in weights:
        data = weight[segmentation.word[order]]
        running = CountTable(order, rows, len(order), data).add_up(changes)
        np.cumsum(running, axis=0, out=running)
        sums: Floats = running[learned].T.copy()
        sums[cut] += sums[width:]
        yield sums[:width]
