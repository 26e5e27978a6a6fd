"""Words cut alike are kept once; those that differ in one thing are kept apart."""

from pathlib import Path

import pytest

from tests.cutting import cut, made
from tests.incontext import WHOLE, GivenTokens, Tokens, rows_of
from tokbench.api import Vocabulary

VOCABULARY = Vocabulary(("p", "q", "r"))
FIRST: Tokens = ((1, 0, 2),)


@pytest.mark.parametrize(
    ("word", "tokens", "states"),
    [
        ("aa", FIRST, 1),
        ("bb", FIRST, 2),
        ("aa", ((2, 0, 2),), 2),
        ("aa", ((1, 1, 2),), 2),
        ("aa", ((1, 0, 1),), 2),
        ("aa", FIRST * 2, 2),
        ("aa", (), 2),
    ],
)
def test_what_differs_in_one_thing_alone_is_kept_apart(
    tmp_path: Path, word: str, tokens: Tokens, states: int
) -> None:
    lines = {"aa": FIRST, f"{word} ": tokens}
    segmentation = cut(tmp_path, VOCABULARY, made(GivenTokens, tokens=lines), [*lines])
    assert len(segmentation) == states
    assert rows_of(segmentation) == [[(*token, WHOLE) for token in cuts] for cuts in lines.values()]


def test_states_stand_by_word_and_then_as_they_first_occur(tmp_path: Path) -> None:
    ids = {"aa": 2, "bb": 1, "aa ": 0, "bb ": 1, "aa  ": 2}
    tokens = {line: ((number, 0, 2),) for line, number in ids.items()}
    segmentation = cut(tmp_path, VOCABULARY, made(GivenTokens, tokens=tokens), [*tokens])
    assert segmentation.word.tolist() == [0, 0, 1]
    assert segmentation.ids.tolist() == [2, 0, 1]
    assert segmentation.context is not None
    assert segmentation.context.order.tolist() == [0, 2, 1, 2, 0]
