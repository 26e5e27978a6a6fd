"""Which of several equally frequent pairs is merged first."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair

Ties = Literal["greatest", "smallest", "first"]


def best_pair(counts: Mapping[Pair, int], ties: Ties, marks: Marks) -> Pair:
    """Give the most frequent pair; `counts` is in the order in which the pairs stand in the text.

    Among equals `greatest` and `smallest` compare the spelled pairs by code points, and the raw
    pairs where marks are spelled as the text spells something else; `first` takes the pair met
    first.
    """
    most = max(counts.values())
    equals = [pair for pair, count in counts.items() if count == most]

    def spelled(pair: Pair) -> tuple[str, ...]:
        return (marks.show(pair[0]), marks.show(pair[1]), *pair)

    if ties == "first":
        return equals[0]
    return max(equals, key=spelled) if ties == "greatest" else min(equals, key=spelled)


def spelled_order(
    names: Sequence[str], ties: Ties, marks: Marks
) -> Callable[[tuple[int, int]], Any]:
    """Give a sort key of pairs of numbered symbols that puts the preferred pair lowest."""
    turn: Callable[[str], Any] = _descending if ties == "greatest" else str

    @cache
    def keys(symbol: int) -> tuple[Any, Any]:
        return turn(marks.show(names[symbol])), turn(names[symbol])

    def order(pair: tuple[int, int]) -> tuple[Any, ...]:
        (left, raw_left), (right, raw_right) = keys(pair[0]), keys(pair[1])
        return left, right, raw_left, raw_right

    return order


def _descending(text: str) -> tuple[int, ...]:
    """Give a key that sorts texts from the greatest to the smallest.

    The closing 1 is above every negated code point, so that a text comes after its extensions.
    """
    return (*(-ord(char) for char in text), 1)
