"""Tokens of lines: offsets in bytes from code points and lengths, and the pairs of words alone."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokbench.api.arrays import LineTokens
from tokbench.api.text import byte_length

TEXT = st.text(st.characters() | st.sampled_from("\ud800\udfffa안é😀\x00"), max_size=8)


def columns(tokens: LineTokens) -> dict[str, list[int]]:
    assert {values.dtype for values in vars(tokens).values()} == {np.dtype(np.int64)}
    return {name: values.tolist() for name, values in vars(tokens).items()}


def test_code_points_become_bytes_by_hand() -> None:
    """Here n takes 1 byte, é 2, the space 1, 안 3, the emoji 4; a lone surrogate takes 3."""
    tokens = LineTokens.from_characters(
        ["né 안😀", "ab", "\ud800b"],
        row=[0, 3, 4, 6],
        ids=[7, 8, -1, 9, 5, 6],
        starts=[0, 2, 3, 1, 0, 1],
        ends=[2, 4, 5, 2, 1, 2],
    )
    assert columns(tokens) == {
        "row": [0, 3, 4, 6],
        "ids": [7, 8, -1, 9, 5, 6],
        "starts": [0, 3, 4, 1, 0, 3],
        "ends": [3, 7, 11, 2, 3, 4],
    }


def test_code_points_of_ascii_are_bytes() -> None:
    tokens = LineTokens.from_characters(["ab", "c"], [0, 2, 3], [1, 2, 3], [0, 1, 0], [1, 2, 1])
    assert columns(tokens)["starts"] == [0, 1, 0]
    assert columns(tokens)["ends"] == [1, 2, 1]


@pytest.mark.parametrize("lines", [[], [""], ["안"], ["", "안", ""]])
def test_lines_may_have_no_tokens(lines: list[str]) -> None:
    row = [0] * (len(lines) + 1)
    none: list[int] = []
    for tokens in (
        LineTokens.from_characters(lines, row, none, none, none),
        LineTokens.from_lengths(row, none, none),
    ):
        assert columns(tokens) == {"row": row, "ids": [], "starts": [], "ends": []}


@given(st.lists(TEXT, max_size=5), st.data())
def test_code_points_become_bytes_as_by_encoding(lines: list[str], data: st.DataObject) -> None:
    """Spans of any kind, empty ones and those at the end of a line among them."""
    row, spans = [0], []
    for line in lines:
        place = st.integers(0, len(line))
        pairs = data.draw(st.lists(st.tuples(place, place).map(sorted), max_size=4))
        spans += [(line, start, end) for start, end in pairs]
        row.append(len(spans))
    starts, ends = [start for _, start, _ in spans], [end for _, _, end in spans]
    tokens = LineTokens.from_characters(lines, row, range(len(spans)), starts, ends)
    assert tokens.row.tolist() == row
    assert tokens.ids.tolist() == [*range(len(spans))]
    assert tokens.starts.tolist() == [byte_length(line[:start]) for line, start, _ in spans]
    assert tokens.ends.tolist() == [byte_length(line[:end]) for line, _, end in spans]


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=5))
def test_lengths_lie_one_after_another(lines: list[list[int]]) -> None:
    flat = [length for line in lines for length in line]
    row = [0, *accumulate(map(len, lines))]
    tokens = LineTokens.from_lengths(row, [0] * len(flat), flat)
    ends = [end for line in lines for end in accumulate(line)]
    assert tokens.ends.tolist() == ends
    assert (tokens.ends - tokens.starts).tolist() == flat


def test_pairs_by_hand() -> None:
    """Bytes without a token are dropped; of shared bytes the first token has what is left."""
    # Plugin authors may give lists, though the types ask for arrays: NumPy reads both.
    tokens = LineTokens(
        row=[0, 4, 4, 7, 8],  # type: ignore[arg-type]  # lists do too
        ids=[5, 6, 7, -1, 1, 2, 3, 9],  # type: ignore[arg-type]  # lists do too
        starts=[1, 2, 5, 6, 0, 0, 0, 0],  # type: ignore[arg-type]  # lists do too
        ends=[2, 4, 5, 7, 3, 3, 3, 0],  # type: ignore[arg-type]  # lists do too
    )
    assert [*tokens.pairs(["abcdefgh", "ab", "안", ""])] == [
        [(None, 1), (5, 1), (6, 2), (None, 1), (7, 0), (None, 1), (-1, 1), (None, 1)],
        [(None, 2)],
        [(1, 3), (2, 0), (3, 0)],
        [(9, 0)],
    ]


@given(TEXT, st.data())
def test_pairs_cover_the_line(line: str, data: st.DataObject) -> None:
    size = byte_length(line)
    many = data.draw(st.integers(0, 5))
    place = st.lists(st.integers(0, size), min_size=many, max_size=many).map(sorted)
    starts, ends = data.draw(place), data.draw(place)
    ends = [max(pair) for pair in zip(starts, ends, strict=True)]
    tokens = LineTokens(*map(np.array, ([0, many], [*range(many)], starts, ends)))
    (pairs,) = tokens.pairs([line])
    assert sum(length for _, length in pairs) == size
    assert [i for i, _ in pairs if i is not None] == [*range(many)]
    # Byte by byte: the first token that covers a byte has it.
    owners = [i for i, length in pairs for _ in range(length)]
    covering = [
        next((i for i in range(many) if starts[i] <= byte < ends[i]), None) for byte in range(size)
    ]
    assert owners == covering
