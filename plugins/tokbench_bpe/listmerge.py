"""Merging as course programs do it: each word is a list of symbols, walked from left to right."""

from collections.abc import Callable

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair
from tokbench_bpe.textbook import Words


class SymbolLists(Words[list[str]]):
    """The words as lists of symbols."""

    def split(self, word: list[str]) -> list[str]:
        """Give the symbols of one word."""
        return word

    def merger(self, pair: Pair) -> Callable[[list[str]], list[str]]:
        """Give a function that merges one pair in a word."""
        product = Marks.join(pair)
        return lambda word: merge_list(word, pair, product)


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
