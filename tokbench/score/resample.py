"""Resampling: intervals and paired tests from one set of bootstrap weights.

The percentile bootstrap draws the units (lines, or words) of a test corpus with replacement
(Efron and Tibshirani 1993, chapter 13). Lines that follow each other are alike, so blocks of them
are drawn, from a text whose end is followed by its beginning (Politis and Romano 1992). All systems
are scored on the same draws, so differences are paired (Koehn 2004). More than 10,000 units are
grouped, which bounds memory and time. Limits: an interval shows how the number would move with
other text of the same kind, not with other training text; it is too narrow for few units, and
wrong for what depends on the number of types seen, which is why such metrics have none.
"""

import hashlib
import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Weights = NDArray[np.uint8]

LEVEL = 0.95
MOST_UNITS = 10_000
# Weights of so many cells are converted at a time; they stay in a processor's cache.
_CHUNK_CELLS = 250_000
_DRAWN_AT_ONCE = 16  # resamples
# Products of so many multiplications stay in one thread; OpenBLAS shares out from 262,144 on.
_ONE_THREAD = 250_000
# Of the 24 bits of single precision; the last one is left for what rounding adds.
_EXACT_BITS = 23
# Of the units; below it copying the weights of those that count costs less than adding up all.
_SPARSE = 0.25


def groups(units: int, most: int = MOST_UNITS) -> Ints:
    """Group units: group g holds the consecutive units from groups[g] to groups[g + 1] - 1.

    Up to `most` units are groups of their own; more make `most` groups whose sizes differ by one
    at most.
    """
    number = min(units, most)
    return np.arange(number + 1, dtype=np.int64) * units // max(number, 1)


def block_length(series: Floats) -> int:
    """Choose the length of circular blocks for the mean of a series, after Politis and White.

    Politis and White (2004), "Automatic Block-Length Selection for the Dependent Bootstrap", with
    the correction of Patton, Politis and White (2009). The constants are theirs. A series whose
    neighbours do not correlate has blocks of 1. As in other programs, the window reaches one lag
    further than the last one that correlates. `last` is their m, `together` their K, `window` their
    M.
    """
    units = len(series)
    # Sums are the exact ones, rounded: the length is the same on every machine.
    centred = series - math.fsum(series) / max(units, 1)
    together = max(5, int(math.log10(max(units, 1))))
    most = min(math.ceil(math.sqrt(units)) + together, units - 1)
    products = (centred[k:] * centred[: units - k] for k in range(most + 1))
    covariances = np.array([math.fsum(product) for product in products]) / units
    if most <= together or not covariances[0]:
        return 1
    limit = 2 * math.sqrt(math.log10(units) / units)
    correlate = np.abs(covariances) >= limit * covariances[0]
    last = next(
        (m for m in range(most - together + 1) if not correlate[m + 1 :][:together].any()), most
    )
    if not last:
        return 1
    window = min(2 * (last + 1), most)
    lags = np.arange(1, window + 1)
    weighted = np.minimum(1, 2 * (1 - lags / window)) * covariances[1 : window + 1]
    spectrum = covariances[0] + 2 * math.fsum(weighted)
    if not spectrum:
        return 1
    ratio = 2 * math.fsum(lags * weighted) / spectrum
    length: float = (1.5 * ratio**2 * units) ** (1 / 3)
    return math.ceil(min(length, 3 * math.sqrt(units), units / 3))


def understated(series: Floats, length: int) -> float:
    """Return by how much blocks of a length understate the variance of a series' mean, at least 1.

    They lose what the ends of a block have in common with its neighbours, and a third as long ones
    lose more: the variance is twice that of the blocks less that of a third (the lugsail window of
    Vats and Flegal 2022, as R's mcmcse takes it by default). From few blocks it is known only
    roughly, so that Student's t takes the place of the normal quantile. Blocks of one unit are left
    as they are.
    """
    if length == 1:
        return 1
    variance, of_third = (_block_variance(series, n) for n in (length, length // 3 or 1))
    if not variance:
        return 1
    # The square of that window has the integral 46/27: degrees of freedom are n / l by that.
    free = 27 / 46 * len(series) / length
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    # Abramowitz and Stegun 26.7.5, right to 0.001 for 20 blocks and more.
    t = z + (z**3 + z) / (4 * free) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * free**2)
    t += (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * free**3)
    return max(1, 2 - of_third / variance) * (t / z) ** 2


def _block_variance(series: Floats, length: int) -> float:
    """Return the variance of a unit in circular blocks: that of the sums of blocks / length."""
    centred = series - math.fsum(series) / len(series)
    ends = np.cumsum(np.concatenate([[0], centred, centred[: length - 1]]))
    sums = ends[length:] - ends[:-length]
    return math.fsum(sums * sums) / len(series) / length


def draw(
    units: int, resamples: int, seed: int, corpus: str, length: int = 1, twice: int = 0
) -> Weights:
    """Return how often each unit of a corpus counts: in the text, once; then in each resample.

    Blocks of a length begin anywhere, and the last one is cut so that each row adds up to the
    units. So many of them are drawn `twice`, which makes sums vary more.
    """
    digest = hashlib.sha256(corpus.encode("utf-8", "surrogatepass")).digest()
    generator = np.random.default_rng([seed, int.from_bytes(digest[:8], "big")])
    # One byte each: that 128 blocks, all drawn twice, hold one of n units has a chance below
    # n / 128!.
    weights = np.ones((1 + resamples, units), dtype=np.uint8)
    blocks = -(-units // length)
    twice = min(twice, blocks // 2)
    for begin in range(1, len(weights), _DRAWN_AT_ONCE):
        rows = weights[begin : begin + _DRAWN_AT_ONCE]
        drawn = generator.integers(0, units, (len(rows), blocks - twice))
        drawn = np.concatenate([drawn[:, :twice], drawn], axis=1)
        for row, starts in zip(rows, drawn, strict=True):
            row[:] = _covered(starts, units, length)
    return weights


def _covered(starts: Ints, units: int, length: int) -> Ints:
    """Count how often circular blocks, of which the last one may be shorter, hold each unit."""
    if length == 1:
        return np.bincount(starts, minlength=units)
    ends = starts + length
    ends[-1] -= len(starts) * length - units
    # The text twice over: what goes beyond its end is at its beginning.
    begun = np.bincount(starts, minlength=2 * units)
    inside = np.cumsum(begun - np.bincount(ends, minlength=2 * units)[: 2 * units])
    return inside[:units] + inside[units:]


def exact_sums(weights: NDArray[Any], *columns: Floats) -> Floats:
    """Add up units x columns, weighted: one row a row of weights, which adds up to the units.

    The sums are the exact ones, rounded at the end, so they depend neither on the order of adding
    up nor on the machine: each column is cut into parts so small that single precision holds all
    their sums (Ozaki et al. 2012). Whole numbers whose sum is below 2^23 are one part. A column
    that holds infinity or NaN has NaN. Of several groups of `columns` the sums stand side by side;
    those that few units have, such as the counts of rare words, are added up over these alone.
    """
    ends = np.cumsum([0, *(group.shape[1] for group in columns)])
    # Without this, and without equal columns once, scoring takes four times as long.
    used = np.array([group.any(axis=1) for group in columns])
    rare = used.mean(axis=1) < _SPARSE
    halves = []
    for chosen, units in ((~rare, slice(None)), (rare, np.flatnonzero(used[rare].any(axis=0)))):
        of = np.flatnonzero(chosen)
        if len(of):
            values = np.concatenate([columns[i][units] for i in of], axis=1)
            places = np.concatenate([np.arange(ends[i], ends[i + 1]) for i in of])
            finite = np.isfinite(values).all(axis=0)
            parts = [*_parts(np.where(finite, values, 0), len(columns[0]))]
            halves.append((places, units, places[~finite], parts))
    sums = np.zeros((len(weights), ends[-1]))
    at_once = max(1, _CHUNK_CELLS // max(1, weights.shape[1], ends[-1]))
    for begin in range(0, len(weights), at_once):
        chunk = slice(begin, begin + at_once)
        rows = weights[chunk].astype(np.float32)
        for places, units, undefined, parts in halves:
            drawn = rows[:, units]
            # The finest part is first, so that rounding is left to the end.
            for inside, integers, steps in reversed(parts):
                sums[chunk, places[inside]] += _product(drawn, integers) * steps
            sums[chunk, undefined] = np.nan
    return sums


def _parts(rest: Floats, most: int) -> Iterator[tuple[Ints, NDArray[np.float32], Floats]]:
    """Cut columns into parts, the coarsest first; what is below 2^-1022 is left out.

    The weights of a row add up to `most`. A part is (the columns that it is of, whole numbers, the
    step of each column).
    """
    _, units = np.frexp(most)
    while rest.any():
        _, largest = np.frexp(np.maximum(rest.max(axis=0, initial=0), -rest.min(axis=0, initial=0)))
        # Steps are powers of two, so that multiplying by 1 / step is exact, and faster.
        steps = np.ldexp(1.0, np.maximum(largest + units - _EXACT_BITS, -1022))
        integers = rest * (1 / steps)
        np.rint(integers, out=integers)
        columns = np.flatnonzero(integers.any(axis=0))
        if not len(columns):
            return
        yield columns, integers[:, columns].astype(np.float32), steps[columns]
        integers *= steps
        rest = np.subtract(rest, integers, out=integers)


def _product(rows: NDArray[np.float32], columns: NDArray[np.float32]) -> NDArray[np.float32]:
    """Multiply, some units at a time, which changes no exact sum.

    Larger products are shared out to threads by the matrix library, and where the other cores are
    busy each waits for one of them longer than it takes.
    """
    units = max(1, _ONE_THREAD // max(1, rows.shape[0] * columns.shape[1]))
    product = rows[:, :units] @ columns[:units]
    for begin in range(units, len(columns), units):
        product += rows[:, begin : begin + units] @ columns[begin : begin + units]
    return product


def interval(samples: Floats) -> tuple[float, float] | None:
    """Return the 95 % percentile interval, or None where a resample or an end is undefined."""
    if not len(samples) or not np.isfinite(samples).all():
        return None
    ordered = np.sort(samples)
    tail = (1 - LEVEL) / 2
    with np.errstate(over="ignore", invalid="ignore"):  # steps between huge values
        low, high = _quantile(ordered, tail), _quantile(ordered, 1 - tail)
    return (low, high) if math.isfinite(low) and math.isfinite(high) else None


def _quantile(ordered: Floats, share: float) -> float:
    """Interpolate between order statistics as `numpy.percentile` does.

    Called for tens of thousands of intervals a run, where NumPy's own costs ten times the sorting.
    """
    position = (len(ordered) - 1) * share
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (ordered[above] - ordered[below]) * (position - below))


def p_value(differences: Floats) -> float | None:
    """Return the two-sided p of resampled differences, or None where one is undefined.

    p = 2 min(1 + #{d <= 0}, 1 + #{d >= 0}) / (B + 1), at most 1, which inverts the percentile
    interval. The observed value counts as one more resample, so that p is never 0.
    """
    if not len(differences) or not np.isfinite(differences).all():
        return None
    tail = 1 + int(min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0)))
    return min(1.0, 2 * tail / (len(differences) + 1))
