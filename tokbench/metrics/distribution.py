"""Entropy of token counts; loads NumPy, so metrics import it when they score.

Counts are arrays of one number a token type, along the last axis; the last type stands for all
that is not known.
"""

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.number]
Floats = NDArray[np.float64]


def observed_types(counts: Counts) -> Counts:
    """Count the types that occur."""
    return np.count_nonzero(counts, axis=-1)


def declared_types(counts: Counts, vocabulary_size: int) -> Counts:
    """Give |V|, one type more where anything is not known."""
    return vocabulary_size + (counts[..., -1] > 0)


def entropy(counts: Counts, power: float) -> Floats:
    """Give the Rényi entropy in bits; power 1 is its limit, Shannon's."""
    if power == 1:
        shares = counts / counts.sum(axis=-1, keepdims=True)
        return -(shares * np.log2(np.where(counts > 0, shares, 1))).sum(axis=-1)
    # Relative to the largest share, so that a high power does not underflow.
    largest = counts.max(axis=-1, keepdims=True)
    powers = ((counts / largest) ** power).sum(axis=-1)
    share = largest[..., 0] / counts.sum(axis=-1)
    return (np.log2(powers) + power * np.log2(share)) / (1 - power)


def efficiency(counts: Counts, types: Counts, power: float) -> Floats:
    """Give the entropy as a share of the greatest possible, log2 of `types`; NaN below 2 types."""
    greatest = np.log2(np.where(types > 1, types, np.nan))
    # Rounding must not lead outside the range; adding zero turns -0.0 into 0.0.
    return np.clip(entropy(counts, power) / greatest, 0, 1) + 0.0
