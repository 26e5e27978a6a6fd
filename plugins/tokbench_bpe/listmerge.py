"""Merging as course programs do it: each word is a list of symbols, walked from left to right."""

from collections.abc import Iterable

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair


class SymbolLists:
    """The words as lists of symbols."""

    def __init__(self, words: Iterable[list[str]]) -> None:
        self.words = list(words)

    def symbols(self) -> list[list[str]]:
        """Give each word as its symbols."""
        return self.words

    def merge(self, pair: Pair) -> None:
        """Merge one pair in all words."""
        product = Marks.join(pair)
        self.words = [merge_list(word, pair, product) for word in self.words]


def merge_list(symbols: list[str], pair: Pair, product: str) -> list[str]:
    """Replace a pair of neighbours by their product, from left to right.

    >>> merge_list(["a", "a", "a", "b"], ("a", "a"), "aa")
    ['aa', 'a', 'b']
    """
    left, right = pair
    if left not in symbols or right not in symbols:
        return symbols
    merged = []
    i = 0
    while i < len(symbols):
        if symbols[i] == left and i + 1 < len(symbols) and symbols[i + 1] == right:
            merged.append(product)
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged
