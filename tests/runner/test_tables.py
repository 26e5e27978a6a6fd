"""Tables of blocks x distinct words, and sums over them, against counting one word at a time."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.api import words
from tokbench.runner import tables

ROWS = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=6)


@pytest.fixture(scope="module", autouse=True, params=[1, 3, 2**18])
def at_a_time(request: pytest.FixtureRequest):
    """Rows that stand in several pieces, and pieces that hold several rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "_AT_A_TIME", request.param)
        patch.setattr(tables, "_AT_A_TIME", request.param)
        yield


def counted(rows: Sequence[Sequence[int]]) -> tables.sparse.csr_array:
    order = np.array([word for row in rows for word in row], dtype=np.uint32)
    return tables.count_by_row(order, np.cumsum([0, *map(len, rows)]), 5)


@given(ROWS)
def test_a_table_holds_how_often_each_row_holds_each_word(rows: list[list[int]]) -> None:
    table = counted(rows)
    assert table.toarray().tolist() == [[row.count(word) for word in range(5)] for row in rows]
    assert table.nnz == sum(len({*row}) for row in rows)
    assert table.indices.itemsize == 4
    assert table.data.itemsize == 1


def test_many_of_one_word_in_a_row_are_counted() -> None:
    assert counted([[1] * 255, [1] * 256, [1] * 70_000 + [2]]).toarray()[:, 1:3].tolist() == [
        [255, 0], [256, 0], [70_000, 1]
    ]  # fmt: skip


@given(ROWS, st.lists(st.booleans(), min_size=5, max_size=5))
def test_a_mask_leaves_out_columns(rows: list[list[int]], mask: list[bool]) -> None:
    found = tables.masked(counted(rows), np.array(mask))
    kept = [[word for word in row if mask[word]] for row in rows]
    assert found.toarray().tolist() == counted(kept).toarray().tolist()
    assert found.nnz == counted(kept).nnz


@given(ROWS)
def test_products_in_pieces_are_those_of_the_whole_table(rows: list[list[int]]) -> None:
    values = np.array([[0.1, 1], [0.2, 2], [0.3, 3], [0.4, 4], [0.5, 700]])
    table = counted(rows)
    found = tables.add_up(table, values)
    assert found.tobytes() == (table.astype(np.float64) @ values).tobytes()


@given(ROWS)
def test_lines_add_up_their_words(rows: list[list[int]]) -> None:
    """Empty lines have 0, wherever they stand."""
    order = np.array([word for row in rows for word in row], dtype=np.uint32)
    ends = np.cumsum([0, *map(len, rows)])
    text = words.Words(
        ("a", "b", "c", "d", "e"), order, ends,
        np.zeros(len(rows), dtype=np.int32), np.zeros(5, dtype=np.int64),
    )  # fmt: skip
    for values in ([3, 1, 4, 1, 5], [True, False, True, True, False], [0.5, 0.25, 2, 0, 1]):
        sums = text.sum_lines(np.array(values))
        assert sums.tolist() == [sum(values[word] for word in row) for row in rows]
    assert text.count.tolist() == np.bincount(order, minlength=5).tolist()
