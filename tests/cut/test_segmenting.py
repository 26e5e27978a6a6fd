"""Laying out tokens as flat arrays, and refusing those that do not cover their word."""

from pathlib import Path
from typing import Any

import pytest

from tests.cutting import Fixed, Halves, cut, fixed
from tokbench.api import Marks, Vocabulary
from tokbench.api.arrays import Segmentation
from tokbench.api.text import EOW

VOCABULARY = Vocabulary(
    tokens=("a", "b", "ab", "b" + EOW, "한", "<s>"),
    special=(5,),
    marks=Marks.model_validate({"eow": "fused"}),
)


class Whole(Fixed):
    """Leaves words whole."""

    def segment(self, word: str, prepared: Any) -> list[str]:
        return [word]


def segment(folder: Path, cuts: dict[str, Any], line: str, **options: Any) -> Segmentation:
    return cut(folder, VOCABULARY, fixed(cuts), [line], **options)


def test_tokens_become_ids_and_byte_positions(tmp_path: Path) -> None:
    cuts = {"ab": ["a", "b" + EOW], "한x": ["한", "x" + EOW]}
    seg = segment(tmp_path, cuts, "ab 한x ab")
    assert seg.row.tolist() == [0, 2, 4]
    assert seg.ids.tolist() == [0, 3, 4, -1]
    assert seg.starts.tolist() == [0, 1, 0, 3]
    assert seg.ends.tolist() == [1, 2, 3, 4]
    assert seg.round_trip.tolist() == [True, False]
    assert seg.known.tolist() == [True, True, True, False]
    assert seg.words.count.tolist() == [2, 1]
    assert seg.pieces(1) == ["한", "x"]


def test_pairs_cover_bytes_and_none_drops_them(tmp_path: Path) -> None:
    seg = segment(tmp_path, {"한a": [("b", 1), ("b", 2), (None, 1)]}, "한a")
    assert seg.ids.tolist() == [1, 1]
    assert seg.ends.tolist() == [1, 3]
    assert seg.dropped.tolist() == [1]
    assert seg.unknown_chars.tolist() == [1]
    assert seg.oov.tolist() == [True]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("abab", ["a", "ba", "b"]), ("b", ["b"]), ("aa", ["aa"]), ("bb", ["b", "b"])],
)
def test_pieces_partition_the_word(tmp_path: Path, word: str, expected: list[str]) -> None:
    assert cut(tmp_path, VOCABULARY, Whole, [word], split=Halves).pieces(0) == expected
