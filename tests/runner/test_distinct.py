"""Words cut alike are kept once: against a dict, by hand, and where hashes collide."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokbench.runner import distinct as module
from tokbench.runner.distinct import Cuts, distinct, joined

Cut = tuple[int, list[tuple[int, int, int, int]]]
"""A word number, and the rows (id, start, end, part)."""

CUT = st.tuples(
    st.integers(0, 3),
    st.lists(
        st.tuples(st.integers(-1, 2), st.integers(0, 1), st.integers(1, 2), st.integers(0, 2)),
        max_size=3,
    ),
)


def columns(listed: list[Cut]) -> Cuts:
    rows = np.array([row for _, rows in listed for row in rows], dtype=np.int64).reshape(-1, 4)
    ids, starts, ends, part = rows.T
    return Cuts(
        np.array([number for number, _ in listed], dtype=np.int64),
        np.cumsum([0, *(len(rows) for _, rows in listed)]),
        ids,
        starts,
        ends,
        part.astype(np.int8),
    )


def listed(cuts: Cuts) -> list[Cut]:
    names = ("ids", "starts", "ends", "part")
    rows = [*zip(*(getattr(cuts, name).tolist() for name in names), strict=True)]
    row = cuts.row.tolist()
    return [(n, rows[row[i] : row[i + 1]]) for i, n in enumerate(cuts.number.tolist())]


def by_dict(given: list[Cut]) -> tuple[list[Cut], list[int]]:
    """Number cuts as they first occur, then sort them by word, those of one word as they came."""
    numbers: dict[str, int] = {}
    first: list[Cut] = []
    for cut in given:
        if repr(cut) not in numbers:
            numbers[repr(cut)] = len(first)
            first.append(cut)
    order = sorted(range(len(first)), key=lambda i: first[i][0])
    place = [order.index(numbers[repr(cut)]) for cut in given]
    return [first[i] for i in order], place


def test_by_hand() -> None:
    """Word 1 is cut in two ways, word 0 in one; that of an odd part is another."""
    a: Cut = (1, [(5, 0, 2, 0)])
    b: Cut = (0, [(5, 0, 2, 0)])
    c: Cut = (1, [(5, 0, 2, 1)])
    states, place = distinct(columns([a, b, a, c, b]))
    assert listed(states) == [b, a, c]
    assert place.tolist() == [1, 0, 1, 2, 0]


@settings(max_examples=300, deadline=None)
@given(st.lists(CUT, min_size=1, max_size=12))
def test_as_a_dict(cuts: list[Cut]) -> None:
    states, place = distinct(columns(cuts))
    assert (listed(states), place.tolist()) == by_dict(cuts)


@settings(max_examples=100, deadline=None)
@given(st.lists(CUT, min_size=1, max_size=8))
def test_hashes_that_collide_change_nothing(cuts: list[Cut]) -> None:
    """The first seeds give few hashes; what differs is told apart all the same."""
    asked = []
    real = module._hashes

    def few(cuts: Cuts, seed: int) -> Any:
        asked.append(seed)
        found = real(cuts, seed)
        return found if seed >= 2 else found % np.uint64(seed + 1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_hashes", few)
        states, place = distinct(columns(cuts))
    assert (listed(states), place.tolist()) == by_dict(cuts)
    several = len({repr(cut) for cut in cuts}) > 1
    assert len(asked) > 1 if several else asked == [0]


OTHERS: list[Cut] = [
    (1, [(1, 0, 1, 0)]),
    (0, [(2, 0, 1, 0)]),
    (0, [(1, 1, 1, 0)]),
    (0, [(1, 0, 2, 0)]),
    (0, [(1, 0, 1, 1)]),
    (0, [(1, 0, 1, 0)] * 2),
]


@pytest.mark.parametrize("other", OTHERS)
def test_every_column_is_compared_where_hashes_collide(
    other: Cut, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two cuts that differ in one thing alone, given the same hash at first."""
    real = module._hashes

    def same(cuts: Cuts, seed: int) -> Any:
        return real(cuts, seed) * np.uint64(seed > 0)

    monkeypatch.setattr(module, "_hashes", same)
    given: list[Cut] = [(0, [(1, 0, 1, 0)]), other]
    states, place = distinct(columns(given))
    assert (len(states.number), sorted(place.tolist())) == (2, [0, 1])


@given(st.lists(st.lists(CUT, max_size=3), min_size=1, max_size=4))
def test_parts_are_laid_one_after_another(parts: list[list[Cut]]) -> None:
    assert listed(joined([columns(part) for part in parts])) == [c for part in parts for c in part]


@given(st.lists(CUT, min_size=1, max_size=6), st.data())
def test_some_are_taken(cuts: list[Cut], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(cuts) - 1), max_size=6))
    taken = columns(cuts).take(np.array(chosen, dtype=np.int64))
    assert listed(taken) == [cuts[i] for i in chosen]


def test_columns_that_only_differ_in_where_a_row_ends_are_told_apart() -> None:
    """The same rows in all, shared out otherwise among two cuts of one word."""
    row = (1, 0, 1, 0)
    given: list[Cut] = [(0, [row]), (0, [row, row]), (0, [row, row]), (0, [row]), (0, [])]
    states, place = distinct(columns(given))
    assert [len(rows) for _, rows in listed(states)] == [1, 2, 0]
    assert place.tolist() == [0, 1, 1, 0, 2]
