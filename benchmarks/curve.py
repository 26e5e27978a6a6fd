"""Scores from the states of words: at one size, or at every size by adding and taking away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scores = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Curve:
    """What each state adds to tokens and to words kept whole, and from when until when."""

    since: NDArray[np.int64]
    until: NDArray[np.int64]
    columns: NDArray[np.float64]
    words: int
    learned: int

    @classmethod
    def of(cls, states: Any, counts: Sequence[int], learned: int) -> "Curve":
        """Weigh states by the counts of their words."""
        counted = np.asarray(counts, dtype=np.float64)
        weight = counted[states.word]
        tokens = np.diff(states.row)
        columns = np.array([tokens * weight, (tokens == 1) * weight])
        return cls(states.since, states.until, columns, int(counted.sum()), learned)

    def at(self, items: int) -> Scores:
        """Give tokens a word and the share kept whole with so many learned items."""
        there = (self.since <= items) & (items < self.until)
        tokens, whole = self.columns[:, there].sum(axis=1) / self.words
        return float(tokens), float(whole)

    def everywhere(self) -> NDArray[np.float64]:
        """Give both for every number of learned items from none to all."""
        sums = [
            np.bincount(self.since, column, self.learned + 2)
            - np.bincount(self.until, column, self.learned + 2)
            for column in self.columns
        ]
        scores: NDArray[np.float64] = np.cumsum(sums, axis=1)[:, : self.learned + 1] / self.words
        return scores
