"""Tables whose rows hold tokens: some rows alone, and tables laid one after the other.

Such a table is a dataclass of arrays: row `i` has the tokens `row[i]` to `row[i + 1]`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokbench.api import LineTokens, Timeline
from tokbench.api.segmentation import Ints, spans

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
