"""Merging by score, with all counts kept up to date.

A merge changes the counts of its two parts, and with them the scores of all pairs that hold one of
these; no other score changes. Each changed pair enters a heap anew; what stands there with an old
score is passed over when it comes up. Merges by score take rare symbols first, which have few
neighbours, so few pairs change.

Scores are compared without rounding: as whole numbers, scaled so far that two scores that differ
at all differ there too.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush, heapreplace

from tokbench_bpe.alphabet import SymbolNumbers
from tokbench_bpe.indexed import CellRow, Pair, spelled_order
from tokbench_bpe.textbook import Corpus, Symbols, Ties, count_pairs

from tokbench.api import Learned, Marks

Entry = tuple[int, object, Pair]
"""(score, negative; place in the order of ties; pair)"""


def merges(
    words: Mapping[str, int],
    spelling: SymbolNumbers,
    marks: Marks,
    ties: Ties,
    minimum: int,
    unknown: str | None = None,
) -> Iterator[Learned]:
    """Merge the pair of the highest score, of those that are as frequent as `minimum`.

    Pairs that spell `unknown` are not merged.
    """
    row = CellRow(words, spelling)
    scores = PairScores(row, minimum)
    names = ["", *spelling.alphabet]
    spelled = spelled_order(names, ties, marks)

    def entry(pair: Pair) -> Entry:
        order = row.first_place(pair) if ties == "first" else spelled(row.symbols(pair))
        return -scores.of(pair), order, pair

    waiting = [entry(pair) for pair in scores.frequent(row.counts)]
    heapify(waiting)
    while waiting:
        lowest = waiting[0]
        pair = lowest[2]
        if row.counts.get(pair, 0) < minimum or -lowest[0] != scores.of(pair):
            heappop(waiting)
        elif ties == "first" and (fresh := entry(pair)) != lowest:
            heapreplace(waiting, fresh)
        else:
            heappop(waiting)
            left, right = row.symbols(pair)
            parts = names[left], names[right]
            product = Marks.join(parts)
            if product == unknown:
                continue
            names.append(product)
            yield Learned(parts, row.counts[pair])
            for changed in scores.merge(pair):
                heappush(waiting, entry(changed))


class PairScores:
    """The scores of pairs while they are merged."""

    def __init__(self, row: CellRow, minimum: int) -> None:
        self._row = row
        self._minimum = minimum
        self._counts = [0] * len(row.lengths)
        for symbol, weight in zip(row.cells, row.weights, strict=True):
            self._counts[symbol] += weight
        # Fractions of denominators below 2^k differ by more than 2^-2k, if at all; and each
        # denominator is a product of two counts.
        self._scale = 4 * max(self._counts).bit_length()
        self._pairs_of: list[list[Pair]] = [[] for _ in row.lengths]
        self._index(row.counts)

    def of(self, pair: Pair) -> int:
        """Return the score of a pair of symbols that both occur, scaled to a whole number."""
        left, right = self._row.symbols(pair)
        count = self._row.counts[pair]
        return (count << self._scale) // (self._counts[left] * self._counts[right])

    def frequent(self, pairs: Iterable[Pair]) -> list[Pair]:
        """Leave out the pairs below the minimum; counts only fall, so they stay there."""
        counts, minimum = self._row.counts, self._minimum
        return [pair for pair in pairs if counts.get(pair, 0) >= minimum]

    def merge(self, pair: Pair) -> set[Pair]:
        """Merge a pair everywhere; return all pairs that are new or have another score."""
        row = self._row
        left, right = row.symbols(pair)
        count, places = row.counts[pair], row.places[pair]
        born = row.merge(pair)
        if left == right:
            count = self._made(places, row.lengths[left])
        self._counts[left] -= count
        self._counts[right] -= count
        self._counts.append(count)
        self._pairs_of.append([])
        self._index(born)
        changed = set(self._pairs_of[-1])
        for symbol in {left, right}:
            self._pairs_of[symbol] = self.frequent(self._pairs_of[symbol])
            changed.update(self._pairs_of[symbol])
        return changed

    def _index(self, pairs: Iterable[Pair]) -> None:
        """Note pairs with the symbols that they hold."""
        for pair in self.frequent(pairs):
            left, right = self._row.symbols(pair)
            self._pairs_of[left].append(pair)
            if right != left:
                self._pairs_of[right].append(pair)

    def _made(self, places: Iterable[int], length: int) -> int:
        """Count the last merged symbol, of twice the `length`, where it lies over some places.

        Where a symbol is repeated three times, two places overlap and only one is merged.
        """
        row = self._row
        product = len(row.lengths) - 1
        made = free = 0
        for place in places:
            start = place - length
            if start >= free and row.cells[start] == product:
                made += row.weights[place]
                free = start + 2 * length
        return made


def scores(words: Sequence[Symbols], corpus: Corpus) -> dict[tuple[str, str], float]:
    """Return the scores of all pairs as textbooks compute them, in the order of the text.

    The score is count(pair) / (count(left) * count(right)).
    """
    counts: Counter[str] = Counter()
    for symbols, count in zip(words, corpus.counts, strict=True):
        for symbol in symbols:
            counts[symbol] += count
    pairs = count_pairs(words, corpus)
    return {pair: count / (counts[pair[0]] * counts[pair[1]]) for pair, count in pairs.items()}
