"""The fast way to learn merges: counts and places of pairs are kept up to date, none is recounted.

All words stand in one row of cells, a cell for each letter, with a border between words. A merge
writes its product into the left cell and unlinks the right one, so a cell's number keeps telling
where in the text a symbol begins. No two merges give the same symbol: where a product could be
built in another way, the same merges have already been made inside it. Hence a pair is born in
one merge, from left to right, and from then on only loses places.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace
from typing import Any

from tokbench.api import Learned, Marks
from tokbench_bpe.corpus import Corpus
from tokbench_bpe.ties import Ties, spelled_order

NumberedPair = tuple[int, int]

BORDER = 0


class PairIndex:
    """The row of cells, and where each pair of neighbouring symbols stands in it.

    `symbol` holds each cell's symbol number (an unlinked cell is a BORDER), `weight` the count of
    its word, `names` each number's symbol. `places[pair]` lists the cells, rising, at which the
    pair began when it was born; those where it has been merged away are left out lazily.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.names = [""]
        self.symbol = [BORDER]
        self.weight = [0]
        numbers = dict.fromkeys(corpus.blocked, BORDER)
        for symbols, count in zip(corpus.words, corpus.counts, strict=True):
            for name in symbols:
                if name not in numbers:
                    numbers[name] = len(self.names)
                    self.names.append(name)
                self.symbol.append(numbers[name])
            self.symbol.append(BORDER)
            self.weight += [count] * (len(symbols) + 1)
        self.before = list(range(-1, len(self.symbol) - 1))
        self.after = list(range(1, len(self.symbol) + 1))
        self.counts: dict[NumberedPair, int] = {}
        self.places: dict[NumberedPair, list[int]] = {}
        self._count()

    def _count(self) -> None:
        symbol, counts, places = self.symbol, self.counts, self.places
        for cell in range(len(symbol) - 1):
            pair = symbol[cell], symbol[cell + 1]
            if pair in counts:
                counts[pair] += self.weight[cell]
                places[pair].append(cell)
            elif BORDER not in pair:
                counts[pair] = self.weight[cell]
                places[pair] = [cell]

    def first_place(self, pair: NumberedPair) -> int:
        """Give the first cell at which a pair still stands; its count must be above zero."""
        symbol, after, places = self.symbol, self.after, self.places[pair]
        standing = ((symbol[cell], symbol[after[cell]]) == pair for cell in places)
        skipped = next(number for number, stands in enumerate(standing) if stands)
        del places[:skipped]
        return places[0]

    def merge(self, pair: NumberedPair) -> list[NumberedPair]:
        """Merge a pair everywhere from left to right; give the new pairs that it made."""
        left, right = pair
        product = len(self.names)
        self.names.append(Marks.join((self.names[left], self.names[right])))
        symbol, weight, before, after = self.symbol, self.weight, self.before, self.after
        counts = self.counts
        born: dict[NumberedPair, list[int]] = {}
        for cell in self.places.pop(pair):
            gone = after[cell]
            if symbol[cell] != left or symbol[gone] != right:
                continue
            previous, following = before[cell], after[gone]
            if other := symbol[previous]:
                counts[other, left] -= weight[cell]
                self._add(born, (other, product), previous)
            if other := symbol[following]:
                counts[right, other] -= weight[cell]
                self._add(born, (product, other), cell)
            symbol[cell], symbol[gone] = product, BORDER
            after[cell], before[following] = following, cell
        del counts[pair]
        self.places.update(born)
        return list(born)

    def _add(self, born: dict[NumberedPair, list[int]], pair: NumberedPair, cell: int) -> None:
        if pair in born:
            born[pair].append(cell)
            self.counts[pair] += self.weight[cell]
        else:
            born[pair] = [cell]
            self.counts[pair] = self.weight[cell]


def merges(corpus: Corpus, ties: Ties, marks: Marks, minimum: int) -> Iterator[Learned]:
    """Merge the most frequent pair until none reaches the `minimum` count."""
    index = PairIndex(corpus)
    order = index.first_place if ties == "first" else spelled_order(index.names, ties, marks)

    def entry(pair: NumberedPair) -> tuple[int, Any, NumberedPair]:
        return -index.counts[pair], order(pair), pair

    # Counts only fall and first places only move on, so an entry can be too low, never too high:
    # the lowest entry is right once it equals a fresh one.
    queue = [entry(pair) for pair in index.counts]
    heapify(queue)
    while queue:
        pair = queue[0][2]
        count = index.counts[pair]
        if count < minimum:
            heappop(queue)
        elif (fresh := entry(pair)) != queue[0]:
            heapreplace(queue, fresh)
        else:
            heappop(queue)
            left, right = pair
            for new in index.merge(pair):
                if index.counts[new] >= minimum:
                    heappush(queue, entry(new))
            yield Learned((index.names[left], index.names[right]), count)
