"""Words cut alike are kept once: against a dict, and by hand where cuts differ in one thing."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cutting import cut, made
from tests.incontext import EXTENDS_OUTSIDE, WHOLE, GivenTokens, rows_of
from tests.tiny import FEWER_EXAMPLES
from tokbench.api import Vocabulary
from tokbench.api.arrays import Segmentation

VOCABULARY = Vocabulary(("p", "q", "r"))


@dataclass(frozen=True)
class Cut:
    """A word of two letters, and its tokens (id, start, end); a wide one covers a space too."""

    word: str
    tokens: tuple[tuple[int, int, int], ...]
    wide: bool = False

    @property
    def rows(self) -> list[tuple[int, int, int, int]]:
        """The rows of the state: id, start, end, part."""
        rows = [(*token, WHOLE) for token in self.tokens]
        return [*rows[:-1], (*self.tokens[-1], EXTENDS_OUTSIDE)] if self.wide and rows else rows


@st.composite
def cuts(draw: st.DrawFn) -> Cut:
    """Draw the tokens of a word, whose offsets never fall; all of them cover text."""
    spans = draw(st.lists(st.sampled_from([(0, 1), (0, 2), (1, 2)]), max_size=3))
    many = len(spans)
    ids = draw(st.lists(st.integers(-1, 2), min_size=many, max_size=many))
    starts, ends = sorted(start for start, _ in spans), sorted(end for _, end in spans)
    # A token that covers a space ends where its word does.
    wide = many > 0 and ends[-1] == 2 and draw(st.booleans())
    word = draw(st.sampled_from(["aa", "bb", "cc", "dd"]))
    return Cut(word, tuple(zip(ids, starts, ends, strict=True)), wide)


Cutting = Callable[[list[Cut]], Segmentation]


@pytest.fixture(scope="module")
def segmented(tmp_path_factory: pytest.TempPathFactory) -> Cutting:
    """Cut lines of one word each, no two of which have as many spaces at their ends."""
    folder = tmp_path_factory.mktemp("distinct")

    def segment(drawn: list[Cut]) -> Segmentation:
        lines = [cut.word + " " * (number + 1) for number, cut in enumerate(drawn)]
        tokens = {}
        for line, of in zip(lines, drawn, strict=True):
            *some, last = of.tokens or [None]
            tokens[line] = [*some, (*last[:2], last[2] + of.wide)] if last else []
        return cut(folder, VOCABULARY, made(GivenTokens, tokens=tokens), lines)

    return segment


def listed(found: Segmentation) -> list[tuple[str, list[tuple[int, int, int, int]]]]:
    """Return the word and the rows of each state."""
    assert found.context is not None
    columns = (found.ids, found.starts, found.ends, found.context.part)
    rows = [*zip(*(column.tolist() for column in columns), strict=True)]
    row = found.row.tolist()
    return [
        (found.words.text[word], rows[row[state] : row[state + 1]])
        for state, word in enumerate(found.word.tolist())
    ]


def by_dict(drawn: list[Cut]) -> list[tuple[str, list[tuple[int, int, int, int]]]]:
    """Keep cuts as they first occur, then sort them by word, those of one word as they came."""
    first = {repr((cut.word, cut.rows)): (cut.word, cut.rows) for cut in drawn}
    words = [*dict.fromkeys(cut.word for cut in drawn)]
    return sorted(first.values(), key=lambda state: words.index(state[0]))


# Many words at once, since most of the time is that of the run.
@FEWER_EXAMPLES
@given(st.lists(cuts(), min_size=8, max_size=14))
def test_as_a_dict(segmented: Cutting, drawn: list[Cut]) -> None:
    found = segmented(drawn)
    assert listed(found) == by_dict(drawn)
    assert rows_of(found) == [cut.rows for cut in drawn]


ONE = Cut("aa", ((1, 0, 2),))
OTHERS = [
    Cut("bb", ((1, 0, 2),)),
    Cut("aa", ((2, 0, 2),)),
    Cut("aa", ((1, 1, 2),)),
    Cut("aa", ((1, 0, 1),)),
    Cut("aa", ((1, 0, 2),), wide=True),
    Cut("aa", ((1, 0, 2),) * 2),
]


@pytest.mark.parametrize("other", OTHERS)
def test_what_differs_in_one_thing_alone_is_kept_apart(segmented: Cutting, other: Cut) -> None:
    found = segmented([ONE, other])
    assert len(found) == 2
    assert rows_of(found) == [ONE.rows, other.rows]
