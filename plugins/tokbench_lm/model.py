"""Count models of event streams: interpolated modified Kneser-Ney, and Witten-Bell beside it.

The estimate is that of KenLM's `lmplz` (Heafield and others 2013, Scalable Modified Kneser-Ney
Language Model Estimation, sections 2 and 3), without pruning: raw counts at the highest order and
for n-grams that begin a line, else the number of different events before an n-gram; three
discounts an order (Chen and Goodman 1998, equation 26). Below the unigrams is a base distribution.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from tokbench.api import UsageError
from tokbench_lm.ngrams import Floats, Ints, Order, Stream, orders

FALLBACK = (0.5, 1.0, 1.5)
"""The discounts of an order whose counts of counts give none, as those of `lmplz`."""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """One order of a model: p(event | context) = share + left * p(event | shorter context).

    `share` holds a number for each n-gram of the order, 0 for any other; `left` one for each
    context, 1 where nothing was seen after it.
    """

    order: Order
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
class CountModel:
    """A model of so many orders over a `base` distribution, which has a number for each event."""

    orders: Sequence[Smoothed]
    base: Floats

    def probabilities(self, stream: Stream) -> Floats:
        """Return the probability of each event of a stream after those before it in its line.

        Contexts that were not seen pass to the shorter one. The begin of a line has 1.
        """
        found = np.append(self.base, 1.0)[stream.events]
        seen = Seen.nothing(stream)
        for one in self.orders:
            seen = seen.of(one.order)
            seen.extend(one, found)
        return found


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

    def of(self, order: Order) -> "Seen":
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

    def extend(self, one: Smoothed, probabilities: Floats) -> None:
        """Turn probabilities given the shorter contexts into those given these."""
        share = np.where(self.number >= 0, one.share[self.number], 0.0)
        probabilities[self.places] = share + one.left[self.before] * probabilities[self.places]


EVENT_BYTES, NGRAM_BYTES = 100, 50
"""The memory that fitting takes for each event, and for each n-gram of any order, about."""


def check_memory(events: int, ngrams: int, order: int, memory: int | None) -> None:
    """Raise UsageError if tables of so many n-grams need more than so many MB, about."""
    needed = (EVENT_BYTES * events + NGRAM_BYTES * ngrams) / 1e6
    if memory is None or needed <= memory:
        return
    what = f"a model of order {order} of {events:,} tokens takes about {needed:,.0f} MB of memory"
    fits = f"about {int(events * memory / needed):,} tokens of training text would fit"
    if order > 1:
        fits += f", or perhaps `order: {order - 1}`"
    raise UsageError(f"{what}, more than `memory: {memory}`: {fits}")


def fit(
    stream: Stream, order: int, base: Floats, memory: int | None
) -> tuple[CountModel, CountModel]:
    """Fit the models of an order on a stream: Kneser-Ney, and Witten-Bell from the same tables.

    Raises UsageError where they need more than so many MB of `memory`.
    """
    ours, other, contexts, ngrams = list[Smoothed](), list[Smoothed](), 1, 0
    check_memory(len(stream.events), 0, 1, memory)
    for lower, top in islice(estimates(stream), order):
        ngrams += len(top.order.keys)
        check_memory(len(stream.events), ngrams, top.order.n, memory)
        ours += [lower] if lower else []
        one = top.order
        other.append(Smoothed(one, *witten_bell(one.raw, one.context, contexts)))
        contexts = len(one.keys)
    return CountModel([*ours, top], base), CountModel(other, base)


def estimates(stream: Stream) -> Iterator[tuple[Smoothed | None, Smoothed]]:
    """Yield for orders 1, 2, ... the Kneser-Ney estimate as the highest order.

    With it comes that of the order below as a lower one, None below the first.
    """
    below: tuple[Order, Ints] | None = None
    contexts = [1, 1]
    for one, numbers in orders(stream):
        lower = None
        if below is not None:
            counts = adjusted(*below, one)
            lower = Smoothed(below[0], *kneser_ney(counts, below[0].context, contexts[0]))
        yield lower, Smoothed(one, *kneser_ney(one.raw, one.context, contexts[1]))
        below, contexts = (one, numbers), [contexts[1], len(one.keys)]


def adjusted(order: Order, numbers: Ints, above: Order) -> Ints:
    """Count the different events before each n-gram; of those that begin a line, count these.

    `numbers` are those of the n-grams at the places of the counted stream, `above` is the next
    order.
    """
    different = np.bincount(numbers[above.place], minlength=len(order.keys))
    return np.where(order.begins, order.raw, different)


def held_back_bits(
    counted: Stream, held: Stream, base: Floats, memory: int | None
) -> Iterator[float]:
    """Yield the bits of a held stream under Kneser-Ney models of order 1, 2, ... of another.

    Raises UsageError as `fit` does.
    """
    check_memory(len(counted.events), 0, 1, memory)
    probabilities, seen = np.append(base, 1.0)[held.events], Seen.nothing(held)
    for lower, top in estimates(counted):
        if lower is not None:
            seen.extend(lower, probabilities)
        seen, of_this_order = seen.of(top.order), probabilities.copy()
        seen.extend(top, of_this_order)
        yield float(-np.log2(of_this_order).sum())
