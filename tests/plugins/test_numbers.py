"""How numbers are cut, on vocabularies whose cuts are known."""

from pathlib import Path
from typing import Any

import pytest

from tests.tiny import tiny_run

FROM_RIGHT = """
from tokbench.api import Segmenter, Learner, Vocabulary, hookimpl

class Thousands(Segmenter):
    "Cut words in threes from the right."
    def segment(self, word, prepared):
        ends = [*range(len(word) % 3, len(word) + 1, 3)]
        return [w for w in map(word.__getitem__, map(slice, [0, *ends], ends)) if w]

class Every(Learner):
    "Know all digits."
    def learn(self, words, size):
        return Vocabulary(tuple("0123456789"), segmenter={"use": "thousands"})

@hookimpl
def tokbench_learners():
    return {"every": Every}

@hookimpl
def tokbench_segmenters():
    return {"thousands": Thousands}
"""
DIGITS = {"train": "0 1 2 3 4 5 6 7 8 9\n", "test": "10\n"}


def numbers(
    folder: Path, system: str, size: str = "", plugin: str = "", **keys: Any
) -> list[dict[str, Any]]:
    """Run, and return the rows of a system and size, from one digit to six."""
    common: dict[str, Any] = {"texts": DIGITS, "metrics": "[fertility]", "sizes": None}
    run = tiny_run(folder, plugin, drawn=1_000, **{**common, **keys})
    wanted = ("numbers", system, size)
    return [
        dict(row.cells) for row in run.analyses if (row.analysis, row.system, row.size) == wanted
    ]


def test_single_digits(tmp_path: Path) -> None:
    rows = numbers(tmp_path, "char", systems="[char]")
    assert [row["digits"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row["numbers"] for row in rows] == [10, 90, 900, 1000, 1000, 1000]
    assert [row["pieces"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [row["kept-whole"] for row in rows] == [1, 0, 0, 0, 0, 0]
    assert [row["commonest"] for row in rows][-1] == "1+1+1+1+1+1"
    assert {row["ways"] for row in rows} == {row["commonest-share"] for row in rows} == {1}
    assert {row["from-left"] for row in rows} == {row["from-right"] for row in rows} == {1}
    assert {row["not-known"] for row in rows} == {0}


def test_threes_from_the_right(tmp_path: Path) -> None:
    """As in 1,234,567; no piece of several digits is known here."""
    rows = numbers(tmp_path, "every", "10", FROM_RIGHT, systems="[every]", sizes="[10]")
    assert [row["commonest"] for row in rows] == ["1", "2", "3", "1+3", "2+3", "3+3"]
    assert [row["pieces"] for row in rows] == [1, 1, 1, 2, 2, 2]
    assert [row["from-left"] for row in rows] == [1, 1, 1, 0, 0, 1]
    assert [row["from-right"] for row in rows] == [1, 1, 1, 1, 1, 1]
    assert [row["not-known"] for row in rows] == [0, 1, 1, 1, 1, 1]


def test_numbers_of_a_length_that_are_cut_in_several_ways(tmp_path: Path) -> None:
    """Of 90 numbers of two digits, BPE that learned 1 + 2 keeps one whole; 212 is 2+12."""
    _, two, three, *_ = numbers(
        tmp_path, "bpe", "merges:1", texts={"train": "12 12 0345 6789\n", "test": "12\n"},
        systems="[{name: bpe, learner: {use: bpe, eow: absent}}]", merges="[1]",
    )  # fmt: skip
    assert (two["ways"], two["commonest"]) == (2, "1+1")
    assert two["kept-whole"] == pytest.approx(1 / 90)
    assert two["commonest-share"] == pytest.approx(89 / 90)
    assert two["pieces"] == pytest.approx(2 - 1 / 90)
    assert (two["from-left"], two["from-right"]) == (1, 1)
    # 120 to 129 are 2+1, and 112, 212, ... 912 are 1+2.
    assert (three["ways"], three["commonest"]) == (3, "1+1+1")
    assert three["commonest-share"] == pytest.approx((900 - 19) / 900)
    assert three["from-left"] == pytest.approx((900 - 9) / 900)
    assert three["from-right"] == pytest.approx((900 - 10) / 900)
    assert three["pieces"] == pytest.approx(3 - 19 / 900)


def test_digits_that_are_not_known(tmp_path: Path) -> None:
    texts = {"train": "1 2 3\n", "test": "1\n"}
    one_digit, two_digits, *_ = numbers(tmp_path, "char", texts=texts, systems="[char]")
    assert one_digit["not-known"] == pytest.approx(7 / 10)
    assert two_digits["not-known"] == pytest.approx((90 - 9) / 90)


def test_a_mark_without_digits_is_no_piece(tmp_path: Path) -> None:
    system = "[{name: bpe, learner: {use: bpe, eow: separate}}]"
    rows = numbers(tmp_path, "bpe", "merges:0", systems=system, merges="[0]")
    assert [row["pieces"] for row in rows] == [1, 2, 3, 4, 5, 6]
