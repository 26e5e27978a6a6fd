"""Words that are cut in the same way, kept once."""

from itertools import count

import numpy as np
from numpy.typing import NDArray

from tokbench.api.segmentation import Ints, spans
from tokbench.cut.rows import WordTokens, take

Hashes = NDArray[np.uint64]

_ODD = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, whose multiples are spread evenly (Knuth 1998, section 6.4)."""


def distinct(tokens: WordTokens) -> tuple[WordTokens, Ints]:
    """Return the distinct ones, by word and then as they first occur, and the place of each."""
    for seed in count():
        _, first, place = np.unique(_hashes(tokens, seed), return_index=True, return_inverse=True)
        if _alike(tokens, first[place]):
            break
    order = np.lexsort((first, tokens.word[first]))
    renumbered = np.empty(len(order), dtype=np.int64)
    renumbered[order] = np.arange(len(order))
    return take(tokens, first[order]), renumbered[place]


def _hashes(tokens: WordTokens, seed: int) -> Hashes:
    """Return a number for each word with its tokens, which different ones seldom share."""
    nth = np.arange(len(tokens.ids)) - np.repeat(tokens.row[:-1], np.diff(tokens.row))
    mixed = _mixed(np.full(len(nth), seed, dtype=np.uint64), nth)
    for column in (tokens.ids, tokens.starts, tokens.ends, tokens.part):
        mixed = _mixed(mixed, column)
    sums = np.append(np.uint64(0), np.cumsum(mixed, dtype=np.uint64))
    return _mixed(sums[tokens.row[1:]] - sums[tokens.row[:-1]], tokens.word)


def _mixed(hashes: Hashes, values: NDArray[np.integer]) -> Hashes:
    mixed = (hashes + values.astype(np.uint64) + np.uint64(1)) * np.uint64(_ODD)
    return mixed ^ (mixed >> np.uint64(29))


def _alike(tokens: WordTokens, others: Ints) -> bool:
    """Return whether each is the same as the other that is to replace it."""
    many = np.diff(tokens.row)
    if (tokens.word != tokens.word[others]).any() or (many != many[others]).any():
        return False
    rows = spans(tokens.row[others], many)
    columns = (tokens.ids, tokens.starts, tokens.ends, tokens.part)
    return all(bool((column == column[rows]).all()) for column in columns)
