"""A test corpus made ready for scoring: its subsets, and the resamples that all systems share."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, Segmentation, WholeMetric, Words
from tokbench.api.segmentation import Flags, Ints
from tokbench.api.words import count_table, pieces
from tokbench.corpora.load import TestCorpus
from tokbench.score.count import compares
from tokbench.score.resample import Floats, Weights, blocks

Unit = Literal["line", "word"]
UNITS: tuple[Unit, Unit] = ("line", "word")

# Counts of a table are multiplied so many at a time.
_AT_A_TIME = 2**18


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
    def prepare(cls, corpus: TestCorpus, resamples: int, seed: int) -> "TestSet":
        """Draw the weights of a corpus, once for all systems.

        The tables take about 5 bytes for each distinct word of each block.
        """
        words, single = corpus.words, np.arange(len(corpus.words) + 1)
        rows: dict[Unit, tuple[NDArray[Any], Ints]] = {
            "line": (words.order, words.lines),
            "word": (single[:-1], single),
        }
        found = subsets(words)
        grouped: dict[Unit, Ints] = {}
        tables: dict[tuple[Unit, str], sparse.csr_array] = {}
        weights: dict[Unit, Weights] = {}
        for unit, (order, ends) in rows.items():
            grouped[unit] = blocks(len(ends) - 1)
            whole = count_by_row(order, ends[grouped[unit]], len(words))
            tables |= {(unit, name): masked(whole, mask) for name, mask in found.items()}
            name = f"{corpus.name}/{unit}"
            weights[unit] = Weights(len(grouped[unit]) - 1, resamples, seed, name)
        return cls(corpus, tuple(found), grouped, tables, weights)

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
        lacking = "gold" in metric.needs and self.corpus.words.gold is None
        if lacking or not compares(metric, self.corpus.name):
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
        """Add up one row a state to one row an item; alone, each word has one state."""
        if self.segmentation.context is None or self._counts_states(unit):
            # Small whole numbers would overflow where those of a table are small too.
            return by_state.astype(np.float64, copy=False)
        return self._states @ by_state

    def by_block(self, metric: AdditiveMetric, subset: str, column: Any) -> Any:
        """Add up one row a state, or a line, to one row a block."""
        if metric.per == "line":
            return self.test.by_block(column)
        return self.table(metric.unit, subset) @ self.by_item(metric.unit, column)

    def totals(self, metric: AdditiveMetric, subset: str) -> Floats:
        """Return how often each state, or line, occurs in all blocks of a subset."""
        if metric.per == "line":
            return np.ones(len(self.segmentation.words.lines) - 1)
        totals = self.test.totals[metric.unit, subset][self.segmentation.word]
        if self._counts_states(metric.unit):
            return (self.segmentation.count * (totals > 0)).astype(np.float64)
        return totals if self.segmentation.context is None else totals * self._shares

    def _counts_states(self, unit: Unit) -> bool:
        return unit == "line" and self.segmentation.context is not None

    @cached_property
    def _running(self) -> sparse.csr_array:
        """How often each block of lines holds each state of a segmentation in context."""
        assert self.segmentation.context is not None
        ends = self.segmentation.words.lines[self.test.blocks["line"]]
        return count_by_row(self.segmentation.context.order, ends, len(self.segmentation))

    @property
    def _shares(self) -> Floats:
        """The share that each state in context has of its word."""
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


def count_by_row(order: NDArray[Any], ends: Ints, width: int) -> sparse.csr_array:
    """Count the words of each row; row `i` has `order[ends[i]:ends[i + 1]]`.

    An entry takes 4 bytes and those that the largest count needs, nearly always one. Making the
    table takes little more: a text is counted in pieces.
    """
    kind = np.min_scalar_type(int(np.diff(ends).max(initial=0)))
    # There can be no more entries than words, and what is never written takes no memory.
    counts, columns = np.empty(len(order), dtype=kind), np.empty(len(order), dtype=np.int32)
    size, filled = np.zeros(len(ends), dtype=np.int64), 0
    for piece, touched, inside in pieces(ends):
        ones, shape = np.ones(len(order[piece]), dtype=kind), (len(inside) - 1, width)
        part = count_table(ones, order[piece].astype(np.int32), inside.astype(np.int32), shape)
        here = slice(filled, filled + part.nnz)
        counts[here], columns[here] = part.data, part.indices
        size[1:][touched] += np.diff(part.indptr)
        filled = here.stop
    counts.resize(filled, refcheck=False)
    columns.resize(filled, refcheck=False)
    # SciPy gives columns the type of the rows.
    rows = np.cumsum(size).astype(np.int32 if filled < 2**31 else np.int64)
    table = sparse.csr_array((counts, columns, rows), shape=(len(ends) - 1, width))
    # A row that was cut into several pieces may hold a word several times.
    table.sum_duplicates()
    table.data = table.data.astype(np.min_scalar_type(table.data.max(initial=0)))
    return table


def masked(table: sparse.csr_array, mask: NDArray[np.bool_]) -> sparse.csr_array:
    """Leave out the columns outside a mask; the table keeps its shape."""
    if mask.all():
        return table
    kept = np.flatnonzero(mask[table.indices])
    rows = np.searchsorted(kept, table.indptr).astype(table.indptr.dtype)
    return sparse.csr_array((table.data[kept], table.indices[kept], rows), shape=table.shape)


def column_sums(table: sparse.csr_array) -> Floats:
    """Add up the rows of a table, some counts at a time, since sums need wider numbers."""
    sums = np.zeros(table.shape[1])
    for first in range(0, table.nnz, _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        sums += np.bincount(table.indices[part], table.data[part], table.shape[1])
    return sums


def add_up(table: sparse.csr_array, values: Floats) -> Floats:
    """Add up distinct words x columns to rows x columns.

    SciPy makes the counts of a product double precision, so it is taken some rows at a time.
    """
    rows = table.shape[0]
    step = max(1, rows * _AT_A_TIME // max(1, table.nnz))
    if step >= rows:
        return table @ values
    return np.concatenate([table[row : row + step] @ values for row in range(0, rows, step)])
