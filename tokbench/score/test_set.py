"""A test corpus made ready for scoring: its subsets, and the resamples that all systems share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, Segmentation, WholeMetric, Words
from tokbench.api.segmentation import Flags, Ints
from tokbench.corpora.load import TestCorpus
from tokbench.score.resample import MOST_UNITS, Floats, Weights, blocks
from tokbench.score.tables import column_sums, count_by_row, masked

Unit = Literal["line", "word"]
UNITS: tuple[Unit, Unit] = ("line", "word")


@dataclass(frozen=True, eq=False)
class TestSet:
    """One test corpus made ready for scoring.

    Blocks of units are resampled, of one unit each unless there are more than 10,000: `blocks`
    holds for each unit where its blocks begin and end, `weights` its resamples. A subset is a
    table of blocks x distinct words, which holds how often each block has each word in the subset.
    """

    __test__ = False  # else pytest would take it for tests

    corpus: TestCorpus
    subsets: tuple[str, ...]
    blocks: Mapping[Unit, Ints]
    tables: Mapping[tuple[Unit, str], sparse.csr_array]
    weights: Mapping[Unit, Weights]

    @classmethod
    def prepare(
        cls, corpus: TestCorpus, resamples: int, seed: int, most: int = MOST_UNITS
    ) -> "TestSet":
        """Draw the weights of a corpus, once for all systems; more than `most` units make blocks.

        The tables take about 5 bytes for each distinct word of each block.
        """
        words = corpus.words
        found = subsets(words)
        grouped: dict[Unit, Ints] = {
            "line": blocks(len(words.lines) - 1, most),
            "word": blocks(len(words), most),
        }
        whole: dict[Unit, sparse.csr_array] = {
            "line": count_by_row(words.order, words.lines[grouped["line"]], len(words)),
            "word": count_by_row(np.arange(len(words)), grouped["word"], len(words)),
        }
        return cls(
            corpus=corpus,
            subsets=tuple(found),
            blocks=grouped,
            tables={
                (unit, name): masked(whole[unit], mask)
                for unit in UNITS
                for name, mask in found.items()
            },
            weights={
                unit: Weights(len(ends) - 1, resamples, seed, f"{corpus.name}/{unit}")
                for unit, ends in grouped.items()
            },
        )

    @cached_property
    def totals(self) -> Mapping[tuple[Unit, str], Floats]:
        """How often each distinct word stands in all blocks of a unit and subset."""
        return {key: column_sums(table) for key, table in self.tables.items()}

    @cached_property
    def units(self) -> Mapping[tuple[Unit, str], int]:
        """How many blocks hold any word of a subset."""
        return {key: int(np.count_nonzero(np.diff(t.indptr))) for key, t in self.tables.items()}

    def applies(self, metric: Metric, subset: str) -> bool:
        """Return whether a metric has a value on this corpus and subset."""
        if "gold" in metric.needs and self.corpus.words.gold is None:
            return False
        if not metric.measures(self.corpus.name):
            return False
        if subset != "all" and (isinstance(metric, WholeMetric) or per_line(metric)):
            return False
        return self.corpus.kind == "text" or not (metric.texts_only or per_line(metric))

    def by_block(self, by_line: Any) -> Any:
        """Add up one row a line, an array or a sparse table, to one row a block of lines."""
        ends = self.blocks["line"]
        if not sparse.issparse(by_line):
            return np.add.reduceat(by_line, ends[:-1])
        grouped: Any = count_by_row(np.arange(ends[-1]), ends, int(ends[-1]))
        # Small whole numbers would overflow where the table's are small too.
        return grouped.astype(np.float64) @ by_line


@dataclass(frozen=True, eq=False)
class CutTestSet:
    """A test set with one segmentation: its subsets as tables over what is counted.

    The items of a unit are the distinct words, or the states where they are counted in the lines
    in which they stand: in context they differ.
    """

    test: TestSet
    segmentation: Segmentation

    def table(self, unit: Unit, subset: str) -> sparse.csr_array:
        """Return the table of blocks x items of a subset."""
        if not self._counts_states(unit):
            return self.test.tables[unit, subset]
        held = self.test.totals[unit, subset] > 0
        return masked(self._running, held[self.segmentation.word])

    def by_item(self, unit: Unit, by_state: Any) -> Any:
        """Add up one row a state to one row an item."""
        return by_state if self._counts_states(unit) else self._states @ by_state

    def state_totals(self, unit: Unit, subset: str) -> Floats:
        """Return how often each state stands in all blocks of a subset."""
        totals = self.test.totals[unit, subset][self.segmentation.word]
        if self._counts_states(unit):
            return (self.segmentation.count * (totals > 0)).astype(np.float64)
        weighted: Floats = totals * self._shares
        return weighted

    def _counts_states(self, unit: Unit) -> bool:
        return unit == "line" and self.segmentation.context is not None

    @cached_property
    def _running(self) -> sparse.csr_array:
        """How often each block of lines holds each state of a segmentation in context."""
        assert self.segmentation.context is not None
        ends = self.segmentation.words.lines[self.test.blocks["line"]]
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


def subsets(words: Words) -> dict[str, Flags]:
    """Return the subsets of a corpus's distinct words: all, unseen, and each category."""
    found = {"all": np.ones(len(words), dtype=bool), "unseen": words.train_count == 0}
    if words.category is not None:
        categories = np.array(words.category, dtype=object)
        for name in sorted(set(words.category) - {""}):
            found[f"category:{name}"] = categories == name
    return found


def per_line(metric: Metric) -> bool:
    """Return whether a metric counts lines, so that it has no value on subsets or lists."""
    return isinstance(metric, AdditiveMetric) and metric.per == "line"
