"""Tables whose rows hold tokens: some rows alone, tables joined, rows that are alike kept once.

Such a table is a dataclass of arrays: row `i` has the tokens `row[i]` to `row[i + 1]`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokbench.api import LineTokens, Timeline
from tokbench.api.words import Ints, spans

Hashes = NDArray[np.uint64]

_ODD = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, whose multiples are spread evenly (Knuth 1998, section 6.4)."""

# The columns with one number a token; all others have one a row.
OF_TOKENS = {"ids", "starts", "ends", "part"}


@dataclass(frozen=True, eq=False)
class WordTokens:
    """Running words with their tokens: `i` is word `word[i]` with the rows `row[i]:row[i + 1]`.

    The other columns are those of a segmentation in context.
    """

    word: Ints
    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints
    part: NDArray[np.int8]


T = TypeVar("T", LineTokens, Timeline, WordTokens)


def take(table: T, rows: Ints) -> T:
    """Return some of the rows alone, in the order of their numbers."""
    many = np.diff(table.row)[rows]
    tokens = spans(table.row[rows], many)
    columns: dict[str, Any] = {
        name: values[tokens if name in OF_TOKENS else rows] for name, values in vars(table).items()
    }
    return type(table)(**columns | {"row": np.append(0, np.cumsum(many))})


def join(tables: Sequence[T]) -> T:
    """Lay tables one after the other."""
    if len(tables) == 1:
        return tables[0]
    columns: dict[str, Any] = {
        name: np.concatenate([vars(table)[name] for table in tables]) for name in vars(tables[0])
    }
    first = np.cumsum([0, *(table.row[-1] for table in tables)])
    later: list[Ints] = [table.row[1:] + begin for table, begin in zip(tables, first, strict=False)]
    return type(tables[0])(**columns | {"row": np.concatenate([[0], *later])})


def distinct(tokens: WordTokens) -> tuple[WordTokens, Ints]:
    """Return the distinct ones, by word and then as they first occur, and the place of each."""
    for seed in count():
        _, first, place = np.unique(_hashes(tokens, seed), return_index=True, return_inverse=True)
        if _alike(tokens, first[place]):
            break  # else two that differ share a hash, and all are hashed with another seed
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
