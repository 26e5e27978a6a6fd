"""A test corpus made ready for scoring: its subsets, and the resamples that all systems share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, ParallelMetric, WholeMetric, Words
from tokbench.corpora.load import TestCorpus
from tokbench.runner.tables import count_by_row, masked
from tokbench.stats import MOST_UNITS, Floats, Ints, Weights, blocks

Mask = NDArray[np.bool_]
Unit = Literal["line", "word"]
UNITS: tuple[Unit, Unit] = ("line", "word")


@dataclass(frozen=True, eq=False)
class Bench:
    """One test corpus made ready for scoring.

    What is resampled are blocks of units, of one unit each unless there are more than 10,000:
    `blocks` holds for each unit where its blocks begin and end. `by_unit` holds, for each unit and
    subset, the table of blocks x distinct words that leaves out the words outside the subset;
    `total` is its sum over the blocks; `weights` holds the resamples of each unit; `units` tells
    how many blocks hold any word of a subset.
    """

    corpus: TestCorpus
    subsets: Mapping[str, Mask]
    blocks: Mapping[Unit, Ints]
    by_unit: Mapping[tuple[Unit, str], sparse.csr_array]
    total: Mapping[tuple[Unit, str], Floats]
    weights: Mapping[Unit, Weights]
    units: Mapping[tuple[Unit, str], int]

    @classmethod
    def prepare(
        cls, corpus: TestCorpus, resamples: int, seed: int, most: int = MOST_UNITS
    ) -> "Bench":
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
        count: dict[Unit, Floats] = {
            "line": words.count.astype(np.float64),
            "word": np.ones(len(words)),
        }
        keys = [(unit, name) for unit in UNITS for name in found]
        by_unit = {(unit, name): masked(whole[unit], found[name]) for unit, name in keys}
        return cls(
            corpus=corpus,
            subsets=found,
            blocks=grouped,
            by_unit=by_unit,
            total={(unit, name): count[unit] * found[name] for unit, name in keys},
            weights={
                unit: Weights(len(ends) - 1, resamples, seed, f"{corpus.name}/{unit}")
                for unit, ends in grouped.items()
            },
            units={
                key: int(np.diff(table.indptr).astype(bool).sum()) for key, table in by_unit.items()
            },
        )

    def applies(self, metric: Metric, subset: str) -> bool:
        """Tell whether a metric has a value on this corpus and subset."""
        if "gold" in metric.needs and self.corpus.words.gold is None:
            return False
        if isinstance(metric, ParallelMetric) and not metric.compares(self.corpus.name):
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


def subsets(words: Words) -> dict[str, Mask]:
    """Give the subsets of a corpus's distinct words: all, unseen, and each category."""
    found = {"all": np.ones(len(words), dtype=bool), "unseen": words.train_count == 0}
    if words.category is not None:
        categories = np.array(words.category, dtype=object)
        for name in sorted(set(words.category) - {""}):
            found[f"category:{name}"] = categories == name
    return found


def per_line(metric: Metric) -> bool:
    """Tell whether a metric counts lines, so that it has no value on subsets or lists."""
    return isinstance(metric, AdditiveMetric) and metric.per == "line"
