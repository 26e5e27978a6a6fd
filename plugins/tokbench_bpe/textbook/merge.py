"""One merge in one word, as three kinds of textbook programs do it.

Each function replaces a pair of neighbouring symbols by their product, from left to right, and
returns the very word that it was given where the pair does not stand. A `Textbook` is such a
function with the form in which its programs hold words: lists of symbols, or texts with spaces.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Generic, Literal, TypeVar

from tokbench_bpe.textbook.corpus import Symbols

Pair = tuple[str, str]
Word = TypeVar("Word", Symbols, str)

MergeKind = Literal["list", "regex", "replace"]

PRIVATE_USE = range(0xE000, 0x110000)


@dataclass(frozen=True)
class Textbook(Generic[Word]):
    """A kind of program: how it holds symbols as a word, and merges a pair, so held, in a word."""

    hold: Callable[[Iterable[str]], Word]
    symbols: Callable[[Word], Symbols]
    merge: Callable[[Word, Word, str], Word]


def textbook_of(kind: MergeKind, words: Iterable[Symbols]) -> Textbook[Any]:
    """Return the textbook that merges in these words as the option `merge` says."""
    if kind == "list":
        return LISTS
    space = unused_character(words)
    merge = partial(merge_regex, space) if kind == "regex" else merge_replace
    return Textbook(space.join, lambda word: word.split(space), merge)


def merge_list(symbols: Symbols, pair: Iterable[str], product: str) -> Symbols:
    """Merge as course programs do: walk the list of symbols from left to right.

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


LISTS = Textbook[Symbols](list, lambda word: word, merge_list)


def merge_regex(space: str, word: str, pair: str, product: str) -> str:
    """Merge by a regular expression on space-joined symbols, as the paper of 2016 prints it.

    Two things differ from the paper: the look-arounds ask for the space that joins the symbols,
    not for any white space, and the product is put in by a function, since a replacement string
    would read its backslashes. Without these, symbols that hold NBSP or a backslash are merged
    wrongly.

    >>> merge_regex(" ", "aa b a b", "a b", "ab")
    'aa b ab'
    """
    return pair_pattern(pair, space).sub(lambda _: product, word) if pair in word else word


@lru_cache(maxsize=1)  # one pair is merged in all words before the next
def pair_pattern(pair: str, space: str) -> re.Pattern[str]:
    """Return the pattern of a pair that stands between spaces or the ends of its word."""
    border = f"[^{re.escape(space)}]"
    return re.compile(f"(?<!{border}){re.escape(pair)}(?!{border})")


def merge_replace(word: str, pair: str, product: str) -> str:
    """Merge by plain string replacement, as some tutorials do: wrong across symbol borders.

    The pair `a b` is also found in `aa b`, where the left symbol only ends with `a`. This is kept
    so that its results can be compared.

    >>> merge_replace("aa b a b", "a b", "ab")
    'aab ab'
    """
    return word.replace(pair, product)


def unused_character(words: Iterable[Symbols]) -> str:
    """Return a character that no symbol holds: the space, or else the first from U+E000 on."""
    used = {char for symbols in words for symbol in symbols for char in symbol}
    return next(char for char in chain(" ", map(chr, PRIVATE_USE)) if char not in used)
