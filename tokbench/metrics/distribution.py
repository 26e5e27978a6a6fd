"""Entropy of token counts; loads NumPy, so metrics import it when they score.

Counts are arrays of one number a token type, along the last axis; the last type stands for all
that is not known.
"""

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64] | NDArray[np.float64]
Floats = NDArray[np.float64]


def observed_types(counts: Counts) -> Counts:
    """Count the types that occur."""
    return np.asarray(np.count_nonzero(counts, axis=-1))


def declared_types(counts: Counts, vocabulary_size: int) -> Counts:
    """Give |V|, one type more where anything is not known."""
    return np.asarray(vocabulary_size + (counts[..., -1] > 0))


def entropy(counts: Counts, power: float) -> Floats:
    """Give the Rényi entropy in bits; power 1 is its limit, Shannon's."""
    total = counts.sum(axis=-1, keepdims=True)
    shares: Floats = counts / np.where(total > 0, total, np.nan)
    if power == 1:
        surprise = -np.log2(np.where(shares > 0, shares, 1))
        shannon: Floats = (shares * surprise).sum(axis=-1)
        return shannon
    # Relative to the largest share, so that a high power does not underflow.
    largest = shares.max(axis=-1, keepdims=True)
    # Raising zero to a power costs most, and on a short text nearly all counts are zero.
    powers = np.zeros_like(shares)
    np.power(shares / largest, power, out=powers, where=shares > 0)
    renyi: Floats = (np.log2(powers.sum(axis=-1)) + power * np.log2(largest[..., 0])) / (1 - power)
    return renyi


def efficiency(counts: Counts, types: Counts, power: float) -> Floats:
    """Give the entropy as a share of the greatest possible, log2 of `types`; NaN for one type."""
    # Rounding must not lead outside the range; adding zero turns -0.0 into 0.0.
    share: Floats = np.clip(entropy(counts, power) / np.log2(types), 0, 1) + 0.0
    return share
