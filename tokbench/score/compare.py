"""An estimate beside that of the baseline: their difference, its interval and p-value."""

import math
from typing import NamedTuple

import numpy as np

from tokbench.score.estimate import Estimate
from tokbench.score.resample import interval, p_value


class Comparison(NamedTuple):
    """A difference from the baseline, with its 95 % interval and p; None is undefined."""

    difference: float
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None


def compare(estimate: Estimate, base: Estimate) -> Comparison | None:
    """Compare an estimate with the baseline's, resample by resample; None where one is undefined.

    Without resamples of both there is only the difference. A difference too large for a float is
    undefined, though both values are finite.
    """
    with np.errstate(over="ignore"):
        difference = estimate.value - base.value
        if not math.isfinite(difference):
            return None
        if estimate.samples is None or base.samples is None:
            return Comparison(difference)
        differences = estimate.samples - base.samples
    low, high = interval(differences) or (None, None)
    return Comparison(difference, low, high, p_value(differences))
