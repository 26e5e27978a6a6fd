"""The fast way to learn merges in plain Python: pairs are counted once and then kept up to date.

No two merges give the same symbol: where a product could be built in another way, the same merges
have already been made inside it. Hence a pair is born in one merge, in all its places, and from
then on only loses places. Its count is kept up to date; its places are looked through only when it
is merged (`CellRow`).

Pairs wait in one list for each count. As counts only fall, a pair may wait too high, never too
low: it moves down when its list's turn comes, so most merges touch no list at all. Only the pairs
of the highest count are put in the order of the tie rule, in a heap.

All words stand in one row of numbers. Each letter has a cell, and a border stands between words. A
symbol keeps the cells of its letters and is written into the first and the last of them; so its
length alone leads to its neighbours, and nothing is moved or linked. A pair is one integer, and
stands at the cell at which its right symbol begins: the cell before is the last one of its left
symbol. The numbers in a cell only rise, so a pair that has lost a place never seems to stand there
again.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import islice
from operator import add
from typing import Any

from tokbench.api import Learned, Marks, Size
from tokbench_bpe.alphabet import BORDER, SymbolNumbers, beside
from tokbench_bpe.textbook import Ties

Pair = int
Neighbours = defaultdict[int, list[int]]


def learn(
    words: Mapping[str, int],
    spelling: SymbolNumbers,
    marks: Marks,
    ties: Ties,
    minimum: int,
    size: Size,
) -> tuple[Learned, ...]:
    """Merge the most frequent pair until the size is reached or no pair reaches the `minimum`."""
    most = min(beside(spelling.alphabet, size), sys.maxsize)
    return tuple(islice(merges(words, spelling, marks, ties, minimum), most))


def merges(
    words: Mapping[str, int], spelling: SymbolNumbers, marks: Marks, ties: Ties, minimum: int
) -> Iterator[Learned]:
    """Merge the most frequent pair until none reaches the `minimum` count."""
    row = CellRow(words, spelling)
    names = ["", *spelling.alphabet]
    spelled = spelled_order(names, ties, marks)

    def entry(pair: Pair) -> tuple[object, Pair]:
        order = row.first_place(pair) if ties == "first" else spelled(row.symbols(pair))
        return order, pair

    waiting = Waiting(row.counts, minimum)
    waiting.add(row.counts)
    while count := waiting.highest():
        equals = [entry(pair) for pair in waiting.take(count)]
        heapify(equals)
        while equals:
            lowest = heappop(equals)
            pair = lowest[1]
            if row.counts[pair] < count:
                waiting.add([pair])
            elif (fresh := entry(pair)) != lowest:
                # Its first place was merged away, in a word that counts nothing.
                heappush(equals, fresh)
            else:
                left, right = row.symbols(pair)
                parts = names[left], names[right]
                names.append(Marks.join(parts))
                waiting.add(row.merge(pair))
                for born in waiting.take(count):
                    heappush(equals, entry(born))
                yield Learned(parts, count)


class Waiting:
    """Pairs in lists by their count, or by one that they had before; none below the minimum."""

    def __init__(self, counts: Mapping[Pair, int], minimum: int) -> None:
        self._counts = counts
        self._minimum = minimum
        self._lists: dict[int, list[Pair]] = {}
        self._heights: list[int] = []

    def add(self, pairs: Iterable[Pair]) -> None:
        """Let pairs wait in the lists of their present counts."""
        counts, lists, minimum = self._counts, self._lists, self._minimum
        for pair in pairs:
            count = counts[pair]
            if count in lists:
                lists[count].append(pair)
            elif count >= minimum:
                lists[count] = [pair]
                heappush(self._heights, -count)

    def highest(self) -> int:
        """Return the highest count at which pairs wait, 0 for none."""
        return -self._heights[0] if self._heights else 0

    def take(self, count: int) -> list[Pair]:
        """Take out the pairs that have this count; those that lost places move down."""
        if count not in self._lists:
            return []
        heappop(self._heights)
        counts, pairs = self._counts, self._lists.pop(count)
        self.add(pair for pair in pairs if counts[pair] < count)
        return [pair for pair in pairs if counts[pair] == count]


class CellRow:
    """The cells while they are merged.

    `cells` holds the symbol numbers, `weights` the count of each cell's word, `lengths` the cells
    of each symbol. `counts` holds each pair's count, `places` the cells, rising, at which it stood
    when it was born.
    """

    def __init__(self, words: Mapping[str, int], spelling: SymbolNumbers) -> None:
        self.cells, self.weights = lay_out(words, spelling)
        self.lengths = [1] * (len(spelling.alphabet) + 1)
        # Above all symbols that can ever be; odd, so that pairs with one right symbol do not
        # crowd together in a dictionary.
        self.base = len(self.cells) + len(self.lengths) | 1
        self.counts: dict[Pair, int] = {}
        self.places: dict[Pair, list[int]] = {}
        places_of: defaultdict[Pair, list[int]] = defaultdict(list)
        lefts, rights = map(self.base.__mul__, self.cells), islice(self.cells, 1, None)
        for place, pair in enumerate(map(add, lefts, rights), start=1):
            places_of[pair].append(place)
        for pair, places in places_of.items():
            if BORDER not in self.symbols(pair):
                self._bear(pair, places)

    def symbols(self, pair: Pair) -> tuple[int, int]:
        """Return the left and the right symbol of a pair."""
        return divmod(pair, self.base)

    def first_place(self, pair: Pair) -> int:
        """Return the first place at which a pair still stands; its count must be above zero."""
        left, right = self.symbols(pair)
        cells, places = self.cells, self.places[pair]
        gone = 0
        while cells[places[gone]] != right or cells[places[gone] - 1] != left:
            gone += 1
        del places[:gone]
        return places[0]

    def merge(self, pair: Pair) -> list[Pair]:
        """Merge a pair everywhere from left to right; return the pairs that were born."""
        left, right = self.symbols(pair)
        product = len(self.lengths)
        self.lengths.append(self.lengths[left] + self.lengths[right])
        before, after = self._join(self.places.pop(pair), left, right, product)
        counts, base = self.counts, self.base
        born = []
        # First the pairs on the right: where two products meet, the left one was at first
        # followed by `left`, and gives that pair back when the right one is made.
        for symbol, places in after.items():
            counts[right * base + symbol] -= self._bear(product * base + symbol, places)
            born.append(product * base + symbol)
        for symbol, places in before.items():
            counts[symbol * base + left] -= self._bear(symbol * base + product, places)
            born.append(symbol * base + product)
        del counts[pair]
        return born

    def _bear(self, pair: Pair, places: list[int]) -> int:
        """Note the places of a pair that was not there before; return its count."""
        self.places[pair] = places
        self.counts[pair] = count = sum(map(self.weights.__getitem__, places))
        return count

    def _join(
        self, places: Iterable[int], left: int, right: int, product: int
    ) -> tuple[Neighbours, Neighbours]:
        """Write the product over a pair; return the borders to the symbols before and after it."""
        cells = self.cells
        before: Neighbours = defaultdict(list)
        after: Neighbours = defaultdict(list)
        left_length, right_length = self.lengths[left], self.lengths[right]
        for place in places:
            if cells[place] == right and cells[place - 1] == left:
                start, stop = place - left_length, place + right_length
                cells[start] = cells[stop - 1] = product
                before[cells[start - 1]].append(start)
                after[cells[stop]].append(stop)
        before.pop(BORDER, None)
        after.pop(BORDER, None)
        return before, after


def lay_out(words: Mapping[str, int], spelling: SymbolNumbers) -> tuple[list[int], list[int]]:
    """Return the cells of all words, with a border around each, and the weight of each cell."""
    cells, weights = [BORDER], [0]
    for word, count in words.items():
        symbols = spelling.spell(word)
        cells += symbols
        cells.append(BORDER)
        weights += [count] * (len(symbols) + 1)
    return cells, weights


def spelled_order(
    names: Sequence[str], ties: Ties, marks: Marks
) -> Callable[[tuple[int, int]], Any]:
    """Return a sort key of pairs of numbered symbols that puts the preferred pair lowest."""
    turn: Callable[[str], Any] = _descending if ties == "greatest" else str

    @cache
    def keys(symbol: int) -> tuple[Any, Any]:
        return turn(marks.show(names[symbol])), turn(names[symbol])

    def order(pair: tuple[int, int]) -> tuple[Any, ...]:
        (left, raw_left), (right, raw_right) = keys(pair[0]), keys(pair[1])
        return left, right, raw_left, raw_right

    return order


# UTF-8 keeps the order of code points, and its bytes stay below 0xF5.
_DOWNWARD = bytes((0xFE - byte) % 0x100 for byte in range(0x100))


def _descending(text: str) -> bytes:
    """Return a key that sorts texts from the greatest to the smallest.

    The closing byte is above every other, so that a text comes after its extensions.
    """
    return text.encode("utf-8", "surrogatepass").translate(_DOWNWARD) + b"\xff"
