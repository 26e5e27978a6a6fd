"""Count models of event streams: interpolated modified Kneser-Ney, and Witten-Bell beside it.

The estimate is that of KenLM's `lmplz` (Heafield and others 2013, Scalable Modified Kneser-Ney
Language Model Estimation, sections 2 and 3), without pruning: raw counts at the highest order and
for n-grams that begin a line, else the number of different events before an n-gram; three
discounts an order (Chen and Goodman 1998, equation 26). Below the unigrams is a base distribution.

The order is the best on lines that are held back from the training text.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokbench_lm.ngrams import Flags, Floats, Ints, Lines, Ngrams, Stream, orders

FALLBACK = (0.5, 1.0, 1.5)
"""The discounts of an order whose counts of counts give none, as those of `lmplz`."""

BLOCK = 200
"""Lines that are held back together, since neighbours are alike."""

TENTH = 10
"""One block in so many is held back; fewer lines cannot be parted so."""

MOST = 16
PATIENCE = 3
"""The order is raised until so many orders in a row do not improve."""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """One order of a model: p(event | context) = share + left * p(event | shorter context).

    `share` holds a number for each n-gram of the order, 0 for any other; `left` one for each
    context, 1 where nothing was seen after it.
    """

    order: Ngrams
    share: Floats
    left: Floats


def discounts(counts: Ints) -> tuple[float, float, float]:
    """Return what is taken from n-grams with a count of 1, of 2, and of 3 or more.

    (0.5, 1, 1.5) where the counts of counts give none between 0 and the count itself.
    """
    t = np.bincount(np.minimum(counts, 5), minlength=6)
    if not t[1:4].all():
        return FALLBACK
    y = t[1] / (t[1] + 2 * t[2])
    one, two, three = (k - (k + 1) * y * t[k + 1] / t[k] for k in (1, 2, 3))
    return (one, two, three) if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= three <= 3 else FALLBACK


def kneser_ney(counts: Ints, context: Ints, contexts: int) -> tuple[Floats, Floats]:
    """Take a discount from each count; what is taken is left for the shorter context."""
    taken = np.array([0.0, *discounts(counts)])[np.minimum(counts, 3)]
    total = np.bincount(context, counts, contexts)
    lost = np.bincount(context, taken, contexts)
    left = np.divide(lost, total, out=np.ones(contexts), where=total > 0)
    share = np.divide(counts - taken, total[context], out=np.zeros(len(counts)), where=counts > 0)
    return share, left


def witten_bell(counts: Ints, context: Ints, contexts: int) -> tuple[Floats, Floats]:
    """Leave as much as different events were seen (Witten and Bell 1991, method C)."""
    kinds = np.bincount(context, counts > 0, contexts)
    total = np.bincount(context, counts, contexts) + kinds
    left = np.divide(kinds, total, out=np.ones(contexts), where=total > 0)
    share = np.divide(counts, total[context], out=np.zeros(len(counts)), where=counts > 0)
    return share, left


@dataclass(frozen=True, eq=False)
class Seen:
    """The n-grams of one order that a stream shares with the counted one.

    `places` are the events whose context was seen, `before` is the number of that context, `number`
    that of the n-gram, -1 where it was not seen.
    """

    stream: Stream
    places: Ints
    before: Ints
    number: Ints

    @classmethod
    def nothing(cls, stream: Stream) -> "Seen":
        """Return the empty n-gram, which stands before every event."""
        places = np.arange(len(stream.events))
        zeros = np.zeros(len(places), dtype=np.int64)
        return cls(stream, places, zeros, zeros)

    def of(self, order: Ngrams) -> "Seen":
        """Find the n-grams of the next order."""
        stream, places, before = self.stream, self.places, self.number
        if order.n > 1:
            known = self.number >= 0
            places, before = self.places[known] + 1, self.number[known]
            inside = places < len(stream.events)
            places, before = places[inside], before[inside]
            # What ends a line is the context of nothing.
            inside = stream.depth[places] >= order.n - 1
            places, before = places[inside], before[inside]
        number = order.find(before * order.width + stream.events[places])
        return Seen(stream, places, before, number)

    def extend(self, order: Smoothed, probabilities: Floats) -> None:
        """Turn probabilities given the shorter contexts into those given these."""
        share = np.where(self.number >= 0, order.share[self.number], 0.0)
        extended = share + order.left[self.before] * probabilities[self.places]
        # The beginning of a line is no event, but the context of one.
        probabilities[self.places] = np.where(self.stream.depth[self.places] > 0, extended, 1.0)


class Estimated(NamedTuple):
    """The n-grams of one order, counted: its Kneser-Ney estimates, and that of Witten and Bell.

    `top` is that of the highest order of a model; `below` is that of the order below as a lower
    one, None below the first.
    """

    below: Smoothed | None
    top: Smoothed
    witten_bell: Smoothed


def estimates(stream: Stream) -> Iterator[Estimated]:
    """Yield the estimates of orders 1, 2, ... from a counted stream."""
    last: tuple[Ngrams, NDArray[np.int32]] | None = None
    contexts = [1, 1]
    for ngrams, numbers in orders(stream):
        below = None
        if last is not None:
            counts = adjusted(*last, ngrams)
            below = Smoothed(last[0], *kneser_ney(counts, last[0].context, contexts[0]))
        of = ngrams.raw, ngrams.context, contexts[1]
        yield Estimated(
            below, Smoothed(ngrams, *kneser_ney(*of)), Smoothed(ngrams, *witten_bell(*of))
        )
        last, contexts = (ngrams, numbers), [contexts[1], len(ngrams.keys)]


def adjusted(order: Ngrams, numbers: NDArray[np.int32], above: Ngrams) -> Ints:
    """Count the different events before each n-gram; of those that begin a line, count these.

    `numbers` are those of the n-grams at the places of the counted stream, `above` is the next
    order.
    """
    different = np.bincount(numbers[above.place], minlength=len(order.keys))
    return np.where(order.begins, order.raw, different)


def probabilities(
    counted: Stream, order: int, base: Floats, asked: Stream
) -> tuple[Floats, Floats]:
    """Return the probability of each event of a stream under both models of an order."""
    return next(islice(models(counted, base, asked), order - 1, None))


def models(counted: Stream, base: Floats, asked: Stream) -> Iterator[tuple[Floats, Floats]]:
    """Yield, for orders 1, 2, ..., the probability of each event after those before it in its line.

    The models of an order are estimated from the `counted` stream: Kneser-Ney, and Witten-Bell from
    the same n-grams, whose array changes when the next order is asked for. Contexts that were not
    seen pass to the shorter one. The beginning of a line has 1. No order is kept when the next one
    is counted, since large texts have many n-grams.
    """
    lower = np.append(base, 1.0)[asked.events]
    other, seen = lower.copy(), Seen.nothing(asked)
    for estimated in estimates(counted):
        if estimated.below is not None:
            seen.extend(estimated.below, lower)
        seen, ours = seen.of(estimated.top.order), lower.copy()
        seen.extend(estimated.top, ours)
        seen.extend(estimated.witten_bell, other)
        yield ours, other


@dataclass(frozen=True)
class ChosenOrder:
    """The order of the fewest bits, and the bits per byte of lines held back at order 1, 2, ...

    A text of fewer than ten lines has order 1, and no such numbers.
    """

    order: int
    held_back: tuple[float, ...] = ()


def choose_order(lines: Lines, size: Ints, base: Floats, seed: int) -> ChosenOrder:
    """Fit models of each order on nine tenths of a text, and take the best on the rest.

    `size` holds the bytes of each line. The seed draws blocks of 200 lines, or of a tenth of a
    short text.
    """
    if len(lines) < TENTH:
        return ChosenOrder(1)
    is_rest = held_back(len(lines), seed)
    counted, rest = Stream.of(lines.where(~is_rest)), Stream.of(lines.where(is_rest))
    bits_per_byte: list[float] = []
    for ours, _ in islice(models(counted, base, rest), MOST):
        bits_per_byte.append(float(-np.log2(ours).sum()) / float(size[is_rest].sum()))
        if len(bits_per_byte) - 1 - int(np.argmin(bits_per_byte)) == PATIENCE:
            break
    return ChosenOrder(int(np.argmin(bits_per_byte)) + 1, tuple(bits_per_byte))


def held_back(lines: int, seed: int) -> Flags:
    """Return whether each line is held back: one block in ten."""
    block = np.arange(lines) // min(BLOCK, lines // TENTH)
    many = int(block[-1]) + 1
    drawn = np.random.default_rng(seed).permutation(many)[: max(many // TENTH, 1)]
    return np.isin(block, drawn)
