"""Merging by rank gives what looking at all pairs before each merge gives."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_formats.merging import Rank, merged, recovered

LETTERS = "ab"
PART = st.text(LETTERS, min_size=1, max_size=3)
BELOW = st.none() | st.integers(0, 5)


def plainly(symbols: Sequence[str], rank: Rank, below: int | None) -> list[str]:
    """Look at all pairs before each merge."""
    parts = list(symbols)
    while True:
        ranked = ((rank(*pair), i) for i, pair in enumerate(pairwise(parts)))
        counted = [(r, i) for r, i in ranked if r is not None and (below is None or r < below)]
        if not counted:
            return parts
        _, at = min(counted)
        parts[at : at + 2] = ["".join(parts[at : at + 2])]


@given(
    st.lists(PART, max_size=30),
    st.dictionaries(st.tuples(PART, PART), st.integers(0, 6), max_size=30),
    st.booleans(),
    BELOW,
)
def test_any_ranks(
    symbols: list[str], ranks: dict[tuple[str, str], int], joined: bool, below: int | None
) -> None:
    """Of pairs, or of what they are joined to."""
    of_joined = {left + right: rank for (left, right), rank in ranks.items()}

    def rank(left: str, right: str) -> int | None:
        return of_joined.get(left + right) if joined else ranks.get((left, right))

    assert merged(symbols, rank, below) == plainly(symbols, rank, below)


@pytest.mark.parametrize(
    ("text", "parts"),
    [("", []), ("a", ["a"]), ("aaa", ["aa", "a"]), ("baab", ["b", "aab"]), ("xy", ["x", "y"])],
)
def test_the_leftmost_of_equal_ranks_comes_first(text: str, parts: list[str]) -> None:
    ranks = {"aa": 0, "aab": 1, "aaaa": 2}
    assert merged(text, lambda left, right: ranks.get(left + right)) == parts


def test_a_token_is_built_of_tokens_of_lower_rank_only() -> None:
    ranks = {"a": 0, "b": 1, "ab": 2, "abb": 3, "bb": 4}
    assert [item.parts for item in recovered(ranks)] == [("a", "b"), ("ab", "b"), ("b", "b")]
