"""The training words as one row of numbers, and where each pair of symbols stands in it.

Each letter has a cell, and a border stands between words. A symbol keeps the cells of its letters
and is written into the first and the last of them; so its length alone leads to its neighbours,
and nothing is moved or linked. A pair is one integer, and stands at the cell at which its right
symbol begins: the cell before is the last one of its left symbol. The numbers in a cell only
rise, so a pair that has lost a place never seems to stand there again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import accumulate, chain, islice, repeat
from operator import add

from tokbench.api import BOW, CONTINUATION, EOW
from tokbench_bpe.learn.spelling import BORDER, SymbolNumbers

Pair = int
Neighbours = defaultdict[int, list[int]]


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
        found: defaultdict[Pair, list[int]] = defaultdict(list)
        lefts, rights = map(self.base.__mul__, self.cells), islice(self.cells, 1, None)
        for place, pair in enumerate(map(add, lefts, rights), start=1):
            found[pair].append(place)
        for pair, places in found.items():
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
    begin, end = BOW if spelling.begin else "", EOW if spelling.end else ""
    texts = list(words)
    # In the joined text, the continuation mark stands for the border.
    spelled = [f"{begin}{text}{end}{CONTINUATION}" for text in texts]
    lengths = list(map(len, spelled))
    inside, first, last, only = spelling.by_place()
    marks = {BOW: spelling.begin, EOW: spelling.end, CONTINUATION: BORDER}
    cells = [BORDER, *map({**inside, **marks}.__getitem__, "".join(spelled))]
    borders = list(accumulate(lengths, initial=0))
    firsts = [border + 1 + len(begin) for border in borders[:-1]]
    lasts = [border - 1 - len(end) for border in borders[1:]]
    for numbers, at, letter in ((first, firsts, 0), (last, lasts, -1)):
        if numbers != inside:
            for cell, text in zip(at, texts, strict=True):
                if text:
                    cells[cell] = numbers[text[letter]]
    for cell, text in zip(firsts, texts, strict=True):
        if len(text) == 1:
            cells[cell] = only[text]
    return cells, [0, *chain.from_iterable(map(repeat, words.values(), lengths))]
