"""States of pieces made states of words: a word changes when any of its pieces does."""

import numpy as np
import pytest

from tokbench.api import Splitter, States
from tokbench.runner.pieces import Pieces
from tokbench.runner.promises import BrokenPromiseError


class Dashes(Splitter):
    """Finds what stands between dashes, so that a dash belongs to the piece before."""

    def split(self, text: str) -> list[tuple[int, int]]:
        starts = [0, *(i + 1 for i, letter in enumerate(text[:-1]) if letter == "-")]
        return [(a, a + 1) for a in starts]


class Beyond(Splitter):
    """Finds words outside the text."""

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text) + 1)]


def test_each_distinct_piece_stands_once() -> None:
    parts = Pieces.of(["ab-c", "c", "c-ab-c"], Dashes())
    assert parts.text == ("ab-", "c", "c-")
    assert parts.number.tolist() == [0, 1, 1, 2, 0, 1]
    assert parts.row.tolist() == [0, 2, 3, 6]


def test_a_word_changes_when_any_of_its_pieces_does() -> None:
    """한- is joined with 2 learned items and b with 3; 한-b has three states, b한- two."""
    parts = Pieces(("한-", "b"), np.array([0, 1, 1, 0, 1]), np.array([0, 2, 3, 5]))
    found = parts.states(
        States(
            word=np.array([0, 0, 1, 1]),
            row=np.array([0, 2, 3, 4, 5]),
            ids=np.array([0, 1, 4, 2, 5]),
            ends=np.array([3, 4, 4, 1, 1]),
            since=np.array([1, 2, 1, 3]),
            until=np.array([2, 5, 3, 5]),
        )
    )
    assert found.word.tolist() == [0, 0, 0, 1, 1, 2, 2, 2]
    assert found.since.tolist() == [1, 2, 3, 1, 3, 1, 2, 3]
    assert found.until.tolist() == [2, 3, 5, 3, 5, 2, 3, 5]
    states = np.split(np.stack([found.ids, found.ends], axis=1), found.row[1:-1])
    assert [state.tolist() for state in states] == [
        [[0, 3], [1, 4], [2, 5]],
        [[4, 4], [2, 5]],
        [[4, 4], [5, 5]],
        [[2, 1]],
        [[5, 1]],
        [[0, 3], [1, 4], [2, 5]],
        [[4, 4], [2, 5]],
        [[4, 4], [5, 5]],
    ]


def test_a_splitter_that_fails_is_named_with_its_word() -> None:
    with pytest.raises(BrokenPromiseError, match="its splitter failed at 'ab'"):
        Pieces.of(["ab"], Beyond())
