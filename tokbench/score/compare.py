"""Estimates beside each other: differences from the baseline, and those of all pairs."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from tokbench.score.estimate import Estimate
from tokbench.score.resample import LEVEL, Floats, interval, p_value


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


class ComparedPair(NamedTuple):
    """The difference of two of a family, by their places, with its interval and p."""

    first: int
    second: int
    difference: float
    low: float
    high: float
    p: float


def all_pairs(values: Sequence[float], samples: Sequence[Floats]) -> Iterator[ComparedPair]:
    """Compare every two of a family, first minus second, on their resamples, which are paired.

    Holm's correction cannot reject anything among 105 pairs with 1,000 resamples. The distance of a
    pair is |resampled - observed difference| / sd. Its maximum over all pairs is one number a
    resample, whose distribution needs no more of them (Westfall and Young 1993, the single-step
    maximum; studentised in Romano and Wolf 2005).

    All intervals together cover 95 %. p is the share of resamples whose maximum is no smaller than
    the pair's own distance from 0, the observed one counted as one more resample.
    """
    places = [*combinations(range(len(values)), 2)]
    if not places:
        return
    first, second = np.array(places).T
    observed, resampled = np.array(values), np.array(samples)
    differences = observed[first] - observed[second]
    deviations = resampled[first] - resampled[second] - differences[:, None]
    sd = deviations.std(axis=1, ddof=1)
    varying = sd > 0
    scale = np.where(varying, sd, 1)
    distances = np.abs(deviations) / scale[:, None]
    greatest = np.sort(np.max(distances, axis=0, where=varying[:, None], initial=0))
    width = float(np.quantile(greatest, LEVEL)) * sd
    # A difference that never varies is beyond every resample, unless it is 0.
    own = np.where(varying, np.abs(differences) / scale, np.where(differences == 0, 0, np.inf))
    beyond = len(greatest) - np.searchsorted(greatest, own, side="left")
    p = (1 + beyond) / (1 + len(greatest))
    ends = differences - width, differences + width
    columns = (first, second, differences, *ends, p)
    for pair in zip(*(column.tolist() for column in columns), strict=True):
        yield ComparedPair(*pair)
