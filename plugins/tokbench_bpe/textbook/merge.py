"""One merge in one word, as three kinds of textbook programs do it.

Each function replaces a pair of neighbouring symbols by their product, from left to right, and
returns the very list that it was given where the pair does not stand.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Literal

from tokbench_bpe.textbook.corpus import Symbols

Pair = tuple[str, str]
Merge = Callable[[Symbols, Pair, str], Symbols]
"""Merges a pair to its product in one word."""

MergeKind = Literal["list", "regex", "replace"]

PRIVATE_USE = range(0xE000, 0x110000)


def merge_list(symbols: Symbols, pair: Pair, product: str) -> Symbols:
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


def merge_regex(symbols: Symbols, pair: Pair, product: str, space: str = " ") -> Symbols:
    """Merge by a regular expression on space-joined symbols, as the paper of 2016 prints it.

    Two things differ from the paper: the look-arounds ask for the space that joins the symbols,
    not for any white space, and the product is put in by a function, since a replacement string
    would read its backslashes. Without these, symbols that hold NBSP or a backslash are merged
    wrongly.
    """
    if pair[0] not in symbols or pair[1] not in symbols:
        return symbols
    text, spaced = space.join(symbols), space.join(pair)
    if spaced not in text:
        return symbols
    border = f"[^{re.escape(space)}]"
    pattern = f"(?<!{border}){re.escape(spaced)}(?!{border})"
    return re.sub(pattern, lambda _: product, text).split(space)


def merge_replace(symbols: Symbols, pair: Pair, product: str, space: str = " ") -> Symbols:
    """Merge by plain string replacement, as some tutorials do: wrong across symbol borders.

    The pair `a b` is also found in `aa b`, where the left symbol only ends with `a`. This is kept
    so that its results can be compared.

    >>> merge_replace(["aa", "b"], ("a", "b"), "ab")
    ['aab']
    """
    text, spaced = space.join(symbols), space.join(pair)
    if spaced not in text:
        return symbols
    return text.replace(spaced, product).split(space)


def merge_of(kind: MergeKind, words: Iterable[Symbols]) -> Merge:
    """Return the function that merges a pair in one of these words."""
    if kind == "list":
        return merge_list
    function = merge_regex if kind == "regex" else merge_replace
    return partial(function, space=unused_character(words))


def unused_character(words: Iterable[Symbols]) -> str:
    """Return a character that no symbol holds: the space, or else the first from U+E000 on."""
    used = {char for symbols in words for symbol in symbols for char in symbol}
    return next(char for char in chain(" ", map(chr, PRIVATE_USE)) if char not in used)
