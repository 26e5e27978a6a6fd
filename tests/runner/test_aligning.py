"""Tokens shared out to words: by hand, and against going through every byte."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokbench.api import LineTokens
from tokbench.api.segmentation import HEAD, TAIL, WHOLE, WIDE
from tokbench.runner.aligning import Places, align

Span = tuple[int, int]
Row = tuple[int, int, int, int]
"""Id, begin and end inside the word, part."""


@dataclass(frozen=True)
class Line:
    """A line of so many bytes, its words (begin, end), and its tokens (begin, end)."""

    size: int
    words: list[Span]
    tokens: list[Span]


def aligned(lines: list[Line]) -> tuple[list[list[Row]], list[int]]:
    """Align; the id of a token is its number, that of a word too."""
    words = [word for line in lines for word in line.words]
    tokens = np.array([t for line in lines for t in line.tokens], dtype=np.int64).reshape(-1, 2)
    begins, ends = np.array(words, dtype=np.int64).reshape(-1, 2).T
    found = LineTokens(
        row=np.cumsum([0, *(len(line.tokens) for line in lines)]),
        ids=np.arange(len(tokens)),
        starts=tokens[:, 0],
        ends=tokens[:, 1],
    )
    places = Places(
        number=np.arange(len(words)),
        begins=begins,
        length=ends - begins,
        lines=np.cumsum([0, *(len(line.words) for line in lines)]),
        size=np.array([line.size for line in lines], dtype=np.int64),
    )
    cuts, outside = align(found, places)
    assert cuts.number.tolist() == places.number.tolist()
    columns = (cuts.ids, cuts.starts, cuts.ends, cuts.part)
    rows = [*zip(*(column.tolist() for column in columns), strict=True)]
    row = cuts.row.tolist()
    assert (row[0], row[-1]) == (0, len(rows))
    return [rows[row[i] : row[i + 1]] for i in range(len(words))], outside.tolist()


def by_bytes(lines: list[Line]) -> tuple[list[list[Row]], list[int]]:
    """Align by asking for each byte of each token in which word it stands."""
    cuts: list[list[Row]] = []
    outside, first = [], 0
    for line in lines:
        rows: list[list[Row]] = [[] for _ in line.words]
        beside = 0
        for number, (start, end) in enumerate(line.tokens, start=first):
            held = [
                [byte - begin for byte in range(start, max(end, start + 1)) if begin <= byte < stop]
                for begin, stop in line.words
            ]
            touched = [word for word, bytes_ in enumerate(held) if bytes_]
            beside += not touched
            for nth, word in enumerate(touched):
                part = WHOLE if len(touched) == 1 else HEAD if nth == 0 else TAIL
                inside = line.words[word][0] <= start and end <= line.words[word][1]
                part = WIDE if part == WHOLE and not inside else part
                begin, last = held[word][0], held[word][-1]
                rows[word].append((number, begin, begin if start == end else last + 1, part))
        first += len(line.tokens)
        cuts += rows
        outside.append(beside)
    return cuts, outside


def test_tokens_with_spaces_stand_in_the_words_that_they_cover() -> None:
    """`the cat` cut into `the`, ` ca`, `t`: the space of ` ca` is in no word."""
    cuts, outside = aligned([Line(7, [(0, 3), (4, 7)], [(0, 3), (3, 6), (6, 7)])])
    assert cuts == [[(0, 0, 3, WHOLE)], [(1, 0, 2, WIDE), (2, 2, 3, WHOLE)]]
    assert outside == [0]


def test_tokens_between_words_are_outside() -> None:
    cuts, outside = aligned([Line(7, [(1, 3), (5, 7)], [(0, 1), (1, 3), (3, 4), (4, 5), (5, 7)])])
    assert cuts == [[(1, 0, 2, WHOLE)], [(4, 0, 2, WHOLE)]]
    assert outside == [3]


def test_a_token_of_several_words_begins_in_the_first() -> None:
    """`a b c` in one token that begins inside no word, then ` d` and `.`, which touch."""
    line = Line(8, [(1, 2), (3, 4), (5, 6), (6, 8)], [(0, 7), (7, 8)])
    cuts, outside = aligned([line])
    assert cuts == [
        [(0, 0, 1, HEAD)],
        [(0, 0, 1, TAIL)],
        [(0, 0, 1, TAIL)],
        [(0, 0, 1, TAIL), (1, 1, 2, WHOLE)],
    ]
    assert outside == [0]


def test_a_token_without_text_stands_where_it_is_or_right_before() -> None:
    """At 0 before the word, at 2 inside it, at 3 after it, at 4 between, at 5 before the next."""
    spans = [(0, 0), (2, 2), (3, 3), (4, 4), (5, 5), (7, 7)]
    cuts, outside = aligned([Line(7, [(0, 3), (5, 7)], spans)])
    assert cuts == [[(0, 0, 0, WHOLE), (1, 2, 2, WHOLE)], [(4, 0, 0, WHOLE)]]
    assert outside == [3]


def test_a_token_without_text_between_touching_words_belongs_to_the_second() -> None:
    cuts, _ = aligned([Line(2, [(0, 1), (1, 2)], [(1, 1)])])
    assert cuts == [[], [(0, 0, 0, WHOLE)]]


def test_tokens_may_share_the_bytes_of_a_character() -> None:
    """Three tokens that each say to cover all of 안."""
    cuts, outside = aligned([Line(4, [(0, 4)], [(0, 3), (0, 3), (0, 3), (3, 4)])])
    assert cuts == [[(0, 0, 3, WHOLE), (1, 0, 3, WHOLE), (2, 0, 3, WHOLE), (3, 3, 4, WHOLE)]]
    assert outside == [0]


def test_a_word_may_have_no_tokens_and_a_line_none() -> None:
    lines = [Line(3, [(0, 3)], []), Line(3, [(0, 1), (2, 3)], [(2, 3)]), Line(0, [], [])]
    cuts, outside = aligned(lines)
    assert cuts == [[], [], [(0, 0, 1, WHOLE)]]
    assert outside == [0, 0, 0]


def test_lines_do_not_touch() -> None:
    """A token without text at the end of a line is not in the first word of the next."""
    cuts, outside = aligned([Line(2, [(0, 2)], [(2, 2)]), Line(2, [(0, 2)], [(0, 0), (0, 2)])])
    assert cuts == [[], [(1, 0, 0, WHOLE), (2, 0, 2, WHOLE)]]
    assert outside == [1, 0]


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Draw words without overlap, and spans that never fall: empty ones, gaps, overlaps."""
    size = draw(st.integers(1, 14))
    cuts = sorted(draw(st.sets(st.integers(0, size), max_size=8)))
    words = [pair for pair in pairwise(cuts) if draw(st.booleans())]
    many = draw(st.integers(0, 7))
    place = st.lists(st.integers(0, size), min_size=many, max_size=many).map(sorted)
    starts, ends = draw(place), draw(place)
    return Line(size, words, [(a, max(a, b)) for a, b in zip(starts, ends, strict=True)])


@settings(max_examples=500, deadline=None)
@given(st.lists(lines(), min_size=1, max_size=4))
def test_every_byte_is_where_it_belongs(drawn: list[Line]) -> None:
    assert aligned(drawn) == by_bytes(drawn)


@settings(max_examples=200, deadline=None)
@given(st.lists(lines(), min_size=1, max_size=4))
def test_every_token_is_counted_once(drawn: list[Line]) -> None:
    cuts, outside = aligned(drawn)
    counted = [token for rows in cuts for token, _, _, part in rows if part != TAIL]
    assert len(counted) == len(set(counted))
    assert len(counted) + sum(outside) == sum(len(line.tokens) for line in drawn)


@pytest.mark.parametrize("many", [1, 3])
def test_lines_alone_are_as_among_others(many: int) -> None:
    line = Line(9, [(1, 4), (5, 9)], [(0, 2), (2, 6), (6, 6), (6, 9)])
    alone, _ = aligned([line])
    together, outside = aligned([replace(line)] * many)
    assert [[row[1:] for row in rows] for rows in together] == [
        [row[1:] for row in rows] for rows in alone
    ] * many
    assert outside == [0] * many
