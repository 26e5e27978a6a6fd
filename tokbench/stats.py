"""Resampling: intervals and paired tests from one set of bootstrap weights.

The percentile bootstrap draws the units (lines, or words) of a test corpus with replacement
(Efron and Tibshirani 1993, chapter 13). All systems are scored on the same draws, so differences
are paired (Koehn 2004). Limits: an interval tells how the number would move with other text of
the same kind, not with other training text; it is too narrow for few units, and wrong for what
depends on the number of types seen, which is why such metrics have none.
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVEL = 0.95
MINIMUM_UNITS = 20
_CHUNK_CELLS = 4_000_000


class Weights:
    """How often each unit of one corpus is drawn in each resample; small integers, drawn once."""

    def __init__(self, units: int, resamples: int, seed: int, corpus: str) -> None:
        digest = hashlib.sha256(corpus.encode("utf-8", "surrogatepass")).digest()
        generator = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
        self._drawn = np.zeros((resamples, units), dtype=np.uint16)
        for row in self._drawn:
            row[:] = np.bincount(generator.integers(0, units, units), minlength=units)

    def __len__(self) -> int:
        """Count the resamples."""
        return len(self._drawn)

    def sums(self, columns: Floats) -> Floats:
        """Add up units x columns for every resample: resamples x columns."""
        return np.concatenate([drawn @ columns for drawn in self.chunks(columns.shape[1])])

    def chunks(self, columns: int) -> Iterator[Floats]:
        """Give the weights, some resamples at a time, so that sums of so many columns fit."""
        rows = max(1, _CHUNK_CELLS // max(1, self._drawn.shape[1], columns))
        for first in range(0, len(self._drawn), rows):
            yield self._drawn[first : first + rows].astype(np.float64)


def interval(samples: Floats) -> tuple[float, float] | None:
    """Give the 95 % percentile interval, or None where a resample is undefined."""
    if not len(samples) or not np.isfinite(samples).all():
        return None
    ordered = np.sort(samples)
    tail = (1 - LEVEL) / 2
    return _quantile(ordered, tail), _quantile(ordered, 1 - tail)


def _quantile(ordered: Floats, share: float) -> float:
    """Interpolate between order statistics as `numpy.percentile` does.

    Called for tens of thousands of intervals a run, where NumPy's own costs ten times the sorting.
    """
    position = (len(ordered) - 1) * share
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (position - below))


def p_value(differences: Floats) -> float | None:
    """Give the two-sided p of resampled differences, or None where one is undefined.

    p = 2 min(1 + #{d <= 0}, 1 + #{d >= 0}) / (B + 1), at most 1 (Davison and Hinkley 1997,
    section 4.2: the observed value counts as one more resample, so that p is never 0).
    """
    if not len(differences) or not np.isfinite(differences).all():
        return None
    tail = min(1 + int((differences <= 0).sum()), 1 + int((differences >= 0).sum()))
    return min(1.0, 2 * tail / (len(differences) + 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of one family after Holm (1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted
