"""Tables of counts against the sparse tables of SciPy."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tokbench.api.arrays import CountTable
from tokbench.api.words import batches

WIDTH = 6
ROWS = st.lists(st.lists(st.integers(0, WIDTH - 1), max_size=9), max_size=7)
KINDS = st.sampled_from([np.uint32, np.int32, np.int64])


def table_of(
    rows: list[list[int]], kind: Any = np.int64, weighted: bool = False
) -> tuple[CountTable, sparse.csr_array]:
    """Return a table and what SciPy makes of the same; weights are whole numbers and halves."""
    items = np.array([item for row in rows for item in row], dtype=kind)
    ends = np.cumsum([0, *map(len, rows)])
    weights = (np.arange(len(items)) % 5) / 2 if weighted else None
    values = np.ones(len(items)) if weights is None else weights
    shape = (len(rows), WIDTH)
    theirs = sparse.csr_array((values, items.astype(np.int64), ends), shape=shape)
    return CountTable(items, ends, WIDTH, weights), theirs


@given(ROWS, KINDS, st.booleans())
def test_it_adds_up_and_selects_as_scipy_does(
    rows: list[list[int]], kind: Any, weighted: bool
) -> None:
    table, theirs = table_of(rows, kind, weighted)
    mask = np.array([True, False, True, True, False, True])
    for values in (np.arange(WIDTH), np.arange(WIDTH) / 4, np.arange(18).reshape(WIDTH, 3) / 8):
        assert np.array_equal(table.add_up(values), theirs @ values)
        assert np.array_equal(table.where(mask).add_up(values), theirs @ (values.T * mask).T)
    times = np.arange(len(rows)) + 1
    assert np.array_equal(table.totals(), theirs.sum(axis=0))
    assert np.array_equal(table.totals(times), times @ theirs)
    assert np.array_equal(table.toarray(), theirs.toarray())
    assert (len(table), table.width, table.is_whole) == (len(rows), WIDTH, True)


def test_a_long_table_is_added_up_in_batches() -> None:
    generator = np.random.default_rng(0)
    items = generator.integers(0, WIDTH, 900_000).astype(np.uint32)
    ends = np.array([0, 3, 3, 600_000, 600_001, 900_000])
    table = CountTable(items, ends, WIDTH)
    by_row = [np.bincount(items[a:b], minlength=WIDTH) for a, b in pairwise(ends)]
    assert table.add_up(np.eye(WIDTH)).tolist() == np.array(by_row).tolist()
    assert (
        table.totals(np.array([1, 2, 3, 4, 5])).tolist()
        == (np.array([1, 2, 3, 4, 5]) @ np.array(by_row)).tolist()
    )
    assert max(batch.stop - batch.start for batch, _, _ in batches(ends)) == 2**18


@pytest.mark.parametrize("columns", [(), (1,), (3,)])
def test_fractions_are_added_one_after_the_other(columns: Any) -> None:
    """So the last digit is that of a loop, also over several batches."""
    generator = np.random.default_rng(3)
    sizes = np.array([1, 8, 0, 40, 200, 300_000, 17])
    ends = np.append(0, np.cumsum(sizes))
    items = generator.integers(0, WIDTH, ends[-1])
    weights = generator.random(ends[-1]) / 3
    values = generator.random((WIDTH, *columns)) / 7
    expected = np.zeros((len(sizes), *columns))
    for row, (begin, end) in enumerate(pairwise(ends)):
        each = (values[items[begin:end]].T * weights[begin:end]).T
        if begin < end:
            expected[row] = np.cumsum(each, axis=0)[-1]
    assert np.array_equal(CountTable(items, ends, WIDTH, weights).add_up(values), expected)


def test_nothing_adds_up_to_zeros() -> None:
    none, floats = np.zeros(0, dtype=np.int64), np.zeros((0, 3))
    assert CountTable(none, np.array([0, 0, 0]), 0).add_up(floats).tolist() == [[0.0] * 3] * 2
    assert CountTable(none, np.array([0]), WIDTH).add_up(np.ones(WIDTH)).tolist() == []
    table, _ = table_of([[0], [1]])
    assert table.add_up(np.zeros((WIDTH, 0))).shape == (2, 0)


def test_sums_of_whole_numbers_stay_whole() -> None:
    table, _ = table_of([[0, 1], [], [2]])
    sums = table.add_up(np.array([1, 2, 2**60, 0, 0, 0]))
    assert (sums.dtype, sums.tolist()) == (np.int64, [3, 0, 2**60])


def test_its_arrays_are_read_only() -> None:
    table, _ = table_of([[0, 1]], weighted=True)
    for array in (table.items, table.ends, table.weights):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
