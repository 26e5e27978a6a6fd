"""Tokens shared out to words: by hand, and against going through every byte."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cutting import cut, made
from tests.incontext import SHARED_FIRST, SHARED_REST, WHOLE, GivenTokens, rows_of
from tests.tiny import FEWER_EXAMPLES
from tokbench.api import Splitter, Vocabulary

Span = tuple[int, int]
Row = tuple[int, int, int, int]
"""Id, begin and end inside the word, part."""
Aligned = tuple[list[list[Row]], list[int]]
Align = Callable[[list["Line"]], Aligned]
NUMBERED = Vocabulary(tuple(f"token {number}" for number in range(200)))


@dataclass(frozen=True)
class Line:
    """A line of so many bytes, its words (begin, end), and its tokens (begin, end)."""

    size: int
    words: list[Span]
    tokens: list[Span]


class Placed(Splitter):
    """Finds the words of each line where a test says."""

    places: ClassVar[Mapping[str, list[Span]]]

    def split(self, text: str) -> list[Span]:
        return self.places.get(text, [(0, 1)])  # else it is the training text


@pytest.fixture(scope="module")
def aligned(tmp_path_factory: pytest.TempPathFactory) -> Align:
    """Align; the id of a token is its number. Lines are of one letter each, a, b and so on."""
    folder = tmp_path_factory.mktemp("aligning")

    def align(lines: list[Line]) -> Aligned:
        texts = [chr(ord("a") + i) * line.size for i, line in enumerate(lines)]
        tokens, number = {}, 0
        for text, line in zip(texts, lines, strict=True):
            tokens[text] = [(number + i, *span) for i, span in enumerate(line.tokens)]
            number += len(line.tokens)
        splitter = made(
            Placed, places=dict(zip(texts, (line.words for line in lines), strict=True))
        )
        cuts = cut(folder, NUMBERED, made(GivenTokens, tokens=tokens), texts, words=splitter)
        assert cuts.context is not None
        assert cuts.words.order.tolist() == cuts.word[cuts.context.order].tolist()
        return rows_of(cuts), cuts.context.outside.tolist()

    return align


def by_bytes(lines: list[Line]) -> Aligned:
    """Align by asking for each byte of each token in which word it stands."""
    cuts: list[list[Row]] = []
    outside, first_number = [], 0
    for line in lines:
        rows: list[list[Row]] = [[] for _ in line.words]
        outside_words = 0
        for number, (start, end) in enumerate(line.tokens, start=first_number):
            covered = [
                [byte - begin for byte in range(start, end) if begin <= byte < stop]
                for begin, stop in line.words
            ]
            touched = [word for word, bytes_ in enumerate(covered) if bytes_]
            outside_words += not touched
            for nth, word in enumerate(touched):
                part = WHOLE if len(touched) == 1 else SHARED_FIRST if nth == 0 else SHARED_REST
                begin, last = covered[word][0], covered[word][-1]
                rows[word].append((number, begin, last + 1, part))
        first_number += len(line.tokens)
        cuts += rows
        outside.append(outside_words)
    return cuts, outside


def test_tokens_with_spaces_stand_in_the_words_that_they_cover(aligned: Align) -> None:
    """`the cat` cut into `the`, ` ca`, `t`: the space of ` ca` is in no word."""
    cuts, outside = aligned([Line(7, [(0, 3), (4, 7)], [(0, 3), (3, 6), (6, 7)])])
    assert cuts == [[(0, 0, 3, WHOLE)], [(1, 0, 2, WHOLE), (2, 2, 3, WHOLE)]]
    assert outside == [0]


def test_a_token_of_several_words_begins_in_the_first(aligned: Align) -> None:
    """`a b c` in one token that begins inside no word, then ` d` and `.`, which touch."""
    line = Line(8, [(1, 2), (3, 4), (5, 6), (6, 8)], [(0, 7), (7, 8)])
    cuts, outside = aligned([line])
    assert cuts == [
        [(0, 0, 1, SHARED_FIRST)],
        [(0, 0, 1, SHARED_REST)],
        [(0, 0, 1, SHARED_REST)],
        [(0, 0, 1, SHARED_REST), (1, 1, 2, WHOLE)],
    ]
    assert outside == [0]


def test_a_token_without_text_is_outside_wherever_it_is(aligned: Align) -> None:
    """At 0 before the word, at 2 inside it, at 3 after it, at 4 between, at 5 before the next."""
    spans = [(0, 0), (2, 2), (3, 3), (4, 4), (5, 5), (5, 7), (7, 7)]
    cuts, outside = aligned([Line(7, [(0, 3), (5, 7)], spans)])
    assert cuts == [[], [(5, 0, 2, WHOLE)]]
    assert outside == [6]


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """Draw words without overlap, and spans that never fall: empty ones, gaps, overlaps.

    A line has a word at least, since what has none is no line of a text.
    """
    size = draw(st.integers(1, 14))
    cuts = sorted(draw(st.sets(st.integers(0, size), min_size=2, max_size=8)))
    pairs = [*pairwise(cuts)]
    words = [pair for pair in pairs if draw(st.booleans())] or pairs[:1]
    many = draw(st.integers(0, 7))
    place = st.lists(st.integers(0, size), min_size=many, max_size=many).map(sorted)
    starts, ends = draw(place), draw(place)
    return Line(size, words, [(a, max(a, b)) for a, b in zip(starts, ends, strict=True)])


# Many lines at once, since most of the time is that of the run.
@FEWER_EXAMPLES
@given(st.lists(lines(), min_size=1, max_size=12))
def test_every_byte_is_where_it_belongs_and_every_token_counted_once(
    aligned: Align, drawn: list[Line]
) -> None:
    cuts, outside = aligned(drawn)
    assert (cuts, outside) == by_bytes(drawn)
    counted = [token for rows in cuts for token, _, _, part in rows if part != SHARED_REST]
    assert len(counted) == len(set(counted))
    assert len(counted) + sum(outside) == sum(len(line.tokens) for line in drawn)
