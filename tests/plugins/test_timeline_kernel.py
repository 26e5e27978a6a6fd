"""The compiled kernel of segmenting refuses what the plugin never gives it."""

from array import array
from types import ModuleType
from typing import Any

import pytest
from tokbench_bpe.states import UTF_32

from tokbench.api.text import CONTINUATION


@pytest.fixture
def kernel() -> ModuleType:
    module: ModuleType = pytest.importorskip("tokbench_bpe._segment")
    return module


def text(*words: str) -> bytes:
    return "".join(word + CONTINUATION for word in words).encode(UTF_32, "surrogatepass")


def numbers(*values: int) -> "array[int]":
    return array("q", values)


# Two letters, a as number 0 and b as number 1, and their product 2; 3 is unknown.
LETTERS = (numbers(97, 98), numbers(0, 0, 0, 0, 1, 1, 1, 1), -1, -1, 3)
MERGE = {
    "words": text("ab", "ax"),
    "since": 0,
    "tokens": 3,
    "letters": LETTERS,
    "merges": (numbers(0), numbers(1), numbers(2)),
    "in_order": False,
}
AB = "abab".encode(UTF_32)
A = "a".encode(UTF_32)
MATCH = {
    "words": text("ab", "ax"),
    "since": 0,
    "learned": 1,
    "letters": LETTERS,
    "trie": (AB, numbers(1, 2, 4), numbers(0, 1, 2), numbers(0, 0, 1), 0, 0, False),
    "scores": None,
}
CALLS: dict[str, dict[str, Any]] = {"merge": MERGE, "match": MATCH}
BAD_LETTERS = {
    "no columns": (1, 2, -1, -1, 3),
    "a code point beyond Unicode": (numbers(0x110000), numbers(0, 0, 0, 0), -1, -1, 3),
    "forms missing": (numbers(97), numbers(0, 0, 0), -1, -1, 3),
    "a form above the unknown symbol": (numbers(97), numbers(0, 0, 0, 4), -1, -1, 3),
    "a mark above the unknown symbol": (numbers(), numbers(), 4, -1, 3),
    "half a number": (b"1234", numbers(), -1, -1, 3),
}


def columns(states: Any) -> list[list[int]]:
    return [memoryview(column).cast("q").tolist() for column in states]


@pytest.mark.parametrize("name", ["merge", "match"])
def test_what_goes_in_and_comes_out(kernel: ModuleType, name: str) -> None:
    states = getattr(kernel, name)(*CALLS[name].values())
    word, row, ids, ends, since, until = columns(states)
    assert word == [0, 0, 1]
    assert row == [0, 2, 3, 5]
    assert ids == [0, 1, 2, 0, -1]
    assert ends == [1, 2, 2, 1, 2]
    assert since == [0, 1, 0]
    assert until == [1, 2, 2]


def test_the_best_sum_of_scores_goes_out(kernel: ModuleType) -> None:
    scores = array("d", [-1, -1, -3]), -9.0, False
    word, row, ids, ends, since, until = columns(
        kernel.match(*{**MATCH, "since": 1, "scores": scores}.values())
    )
    assert (word, row, since, until) == ([0, 1], [0, 2, 4], [1, 1], [2, 2])
    assert (ids, ends) == ([0, 1, 0, -1], [1, 2, 1, 2])


@pytest.mark.parametrize("scores", [(array("d", [-1, -1]), -9.0, False), ("", -9.0, False), 3])
def test_scores_are_checked(kernel: ModuleType, scores: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        kernel.match(*{**MATCH, "scores": scores}.values())


@pytest.mark.parametrize("name", ["merge", "match"])
@pytest.mark.parametrize("letters", BAD_LETTERS.values(), ids=BAD_LETTERS)
def test_letters_are_checked(kernel: ModuleType, name: str, letters: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        getattr(kernel, name)(*{**CALLS[name], "letters": letters}.values())


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("merge", {"merges": (numbers(0), numbers(1, 1), numbers(2))}),
        ("merge", {"merges": (numbers(3), numbers(1), numbers(2))}),
        ("merge", {"merges": (numbers(0), numbers(1), numbers(-1))}),
        ("match", {"trie": (A, numbers(1), numbers(), numbers(0), 0, 0, False)}),
        ("match", {"trie": (A, numbers(2), numbers(0), numbers(0), 0, 0, False)}),
        ("match", {"trie": (A[:3], numbers(0), numbers(0), numbers(0), 0, 0, False)}),
        ("match", {"trie": (AB, numbers(2, 1), numbers(0, 0), numbers(0), 0, 0, False)}),
        ("match", {"trie": (A, numbers(1), numbers(1), numbers(0), 0, 0, False)}),
        ("match", {"trie": (A, numbers(1), numbers(0), numbers(-1), 0, 0, False)}),
        ("match", {"trie": (A, numbers(1), numbers(0), numbers(0), 2, 0, False)}),
        ("match", {"trie": (A, numbers(1), numbers(0), numbers(0), 0, 3, False)}),
    ],
)
def test_merges_and_the_trie_are_checked(
    kernel: ModuleType, name: str, changed: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=r"column|expected|agree"):
        getattr(kernel, name)(*{**CALLS[name], **changed}.values())


@pytest.mark.parametrize("name", ["merge", "match"])
@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("ab",), TypeError),
        ("ab", TypeError),
        (bytearray(text("ab")), TypeError),  # somebody could change it meanwhile
        (text("ab")[:-4], ValueError),
        (b"ab", ValueError),
    ],
)
def test_words_are_letters_with_a_mark_behind_each(
    kernel: ModuleType, name: str, words: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        getattr(kernel, name)(*{**CALLS[name], "words": words}.values())
