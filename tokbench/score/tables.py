"""Tables of how often each row, such as a block of lines, holds each distinct word."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tokbench.api.segmentation import Ints
from tokbench.api.words import count_table, pieces
from tokbench.score.resample import Floats

# Counts are multiplied so many at a time.
_AT_A_TIME = 2**18


def count_by_row(order: NDArray[Any], ends: Ints, width: int) -> sparse.csr_array:
    """Count the words of each row; row `i` has `order[ends[i]:ends[i + 1]]`.

    An entry takes 4 bytes and those that the largest count needs, nearly always one. Making the
    table takes little more: a text is counted in pieces.
    """
    kind = np.min_scalar_type(int(np.diff(ends).max(initial=0)))
    # There can be no more entries than words, and what is never written takes no memory.
    counts, columns = np.empty(len(order), dtype=kind), np.empty(len(order), dtype=np.int32)
    size, filled = np.zeros(len(ends), dtype=np.int64), 0
    for piece, touched, inside in pieces(ends):
        ones, shape = np.ones(len(order[piece]), dtype=kind), (len(inside) - 1, width)
        part = count_table(ones, order[piece].astype(np.int32), inside.astype(np.int32), shape)
        here = slice(filled, filled + part.nnz)
        counts[here], columns[here] = part.data, part.indices
        size[1:][touched] += np.diff(part.indptr)
        filled = here.stop
    counts.resize(filled, refcheck=False)
    columns.resize(filled, refcheck=False)
    # SciPy gives columns the type of the rows.
    rows = np.cumsum(size).astype(np.int32 if filled < 2**31 else np.int64)
    table = sparse.csr_array((counts, columns, rows), shape=(len(ends) - 1, width))
    # A row that stands in several pieces may hold a word several times.
    table.sum_duplicates()
    table.data = table.data.astype(np.min_scalar_type(table.data.max(initial=0)))
    return table


def masked(table: sparse.csr_array, mask: NDArray[np.bool_]) -> sparse.csr_array:
    """Leave out the columns outside a mask; the table keeps its shape."""
    if mask.all():
        return table
    kept = np.flatnonzero(mask[table.indices])
    rows = np.searchsorted(kept, table.indptr).astype(table.indptr.dtype)
    return sparse.csr_array((table.data[kept], table.indices[kept], rows), shape=table.shape)


def column_sums(table: sparse.csr_array) -> Floats:
    """Add up the rows of a table, some counts at a time, since sums need wider numbers."""
    sums = np.zeros(table.shape[1])
    for first in range(0, table.nnz, _AT_A_TIME):
        part = slice(first, first + _AT_A_TIME)
        sums += np.bincount(table.indices[part], table.data[part], table.shape[1])
    return sums


def add_up(table: sparse.csr_array, values: Floats) -> Floats:
    """Add up distinct words x columns to rows x columns.

    SciPy makes the counts of a product double precision, so it is taken some rows at a time.
    """
    rows = table.shape[0]
    step = max(1, rows * _AT_A_TIME // max(1, table.nnz))
    if step >= rows:
        return table @ values
    return np.concatenate([table[row : row + step] @ values for row in range(0, rows, step)])
