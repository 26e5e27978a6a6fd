"""A test corpus made ready for scoring: its subsets, and the resamples that all systems share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api import AdditiveMetric, Metric, WholeMetric, Words
from tokbench.corpora.load import TestCorpus
from tokbench.stats import Floats, Weights

Mask = NDArray[np.bool_]
Unit = Literal["line", "word"]
UNITS: tuple[Unit, Unit] = ("line", "word")


@dataclass(frozen=True, eq=False)
class Bench:
    """One test corpus made ready for scoring.

    `by_unit` holds, for each unit and subset, the table of units x distinct words that leaves out
    the words outside the subset; `total` is its sum over the units; `weights` holds the resamples
    of each unit; `units` tells how many units hold any word of a subset.
    """

    corpus: TestCorpus
    subsets: Mapping[str, Mask]
    by_unit: Mapping[tuple[Unit, str], sparse.csr_array]
    total: Mapping[tuple[Unit, str], Floats]
    weights: Mapping[Unit, Weights]
    units: Mapping[tuple[Unit, str], int]

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
        units = {key: int((table.sum(axis=1) > 0).sum()) for key, table in by_unit.items()}
        total = {
            key: np.asarray(table.sum(axis=0), dtype=np.float64) for key, table in by_unit.items()
        }
        return cls(corpus, found, by_unit, total, weights, units)

    def applies(self, metric: Metric, subset: str) -> bool:
        """Tell whether a metric has a value on this corpus and subset."""
        if "gold" in metric.needs and self.corpus.words.gold is None:
            return False
        if subset != "all" and (isinstance(metric, WholeMetric) or per_line(metric)):
            return False
        return self.corpus.kind == "text" or not (metric.texts_only or per_line(metric))


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
