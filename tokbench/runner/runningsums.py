"""Sums over all words at every number of learned items, from what their states count."""

import numpy as np
from scipy import sparse

from tokbench.api import Segmentation
from tokbench.runner.points import Points
from tokbench.stats import Floats

_STEP = 2.0**-20


class RunningSums:
    """Adds up states x columns over words, for every number of learned items.

    What a state counts more than the state before it is added where it begins.
    """

    def __init__(self, segmentation: Segmentation, columns: Floats) -> None:
        coarse = np.rint(columns / _STEP) * _STEP
        fine = columns - coarse
        # Whole numbers add up exactly below 2^53. Fractions are cut at 2^-20: above it they add up
        # exactly below 2^33; what is left, at most 2^-21 each, over 2^18 words if all fractions are
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
        """Give columns x points: the sums over words, each as often as `weights` says."""
        data = weights[self._word[self._order]]
        shape = (len(self._rows) - 1, len(self._order))
        begins = sparse.csr_array((data, self._order, self._rows), shape=shape)
        running = begins @ self._changes
        np.cumsum(running, axis=0, out=running)
        sums: Floats = running[points.learned].T.copy()
        sums[self._cut] += sums[self._width :]
        return sums[: self._width]
