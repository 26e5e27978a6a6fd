"""The knee of a curve: the size after which more size brings less than the average of the range.

Kneedle (Satopää, Albrecht, Irwin and Raghavan 2011): both axes are scaled to the unit square, and
the knee is a local maximum of the *difference*, height minus position, after which the difference
falls by more than S times the mean spacing of the points before it rises again.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

MINIMUM_POINTS = 5
SENSITIVITY = 1.0


def knee(sizes: ArrayLike, values: ArrayLike, better: str) -> int | None:
    """Return the position of the knee of `values` over rising `sizes`, or None where there is none.

    A value that gets `better` (`higher` or `lower`) is read as gain. Of several knees it is the one
    that stands out most, by its difference. There is none with fewer than 5 points, with an
    undefined value, and where the largest size gains nothing over the smallest.
    """
    x = np.asarray(sizes, dtype=np.float64)
    gain = np.asarray(values, dtype=np.float64) * (1 if better == "higher" else -1)
    if len(x) < MINIMUM_POINTS or gain[-1] <= gain[0]:
        return None
    differences = difference(x, gain)  # where a value is undefined all are, and none is a peak
    knees = [i for i in kneedle(differences) if differences[i] > 0]
    return max(knees, key=lambda i: float(differences[i]), default=None)


def difference(x: Floats, y: Floats) -> Floats:
    """Return the height of each point above the diagonal, both axes scaled to 0 to 1."""
    return _scaled(y) - _scaled(x)


def kneedle(differences: Floats, sensitivity: float = SENSITIVITY) -> list[int]:
    """Return the positions of all knees of a curve from its differences.

    Of equal points on a flat top the first counts. Neither end of the curve can be a knee.
    """
    before, here, after = differences[:-2], differences[1:-1], differences[2:]
    peaks = 1 + np.flatnonzero((here > before) & (here >= after))
    turns = 1 + np.flatnonzero((here <= before) & (here < after))
    valleys = np.append(turns, len(differences) - 1)
    # Between a peak and the next valley the curve never rises, so the valley is its lowest point.
    lowest = differences[valleys[np.searchsorted(valleys, peaks)]]
    threshold = differences[peaks] - sensitivity / (len(differences) - 1)
    return [int(i) for i in peaks[lowest < threshold]]


def _scaled(values: Floats) -> Floats:
    scaled: Floats = (values - values.min()) / np.ptp(values)
    return scaled
