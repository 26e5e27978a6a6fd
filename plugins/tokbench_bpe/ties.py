"""Which of several equally frequent pairs is merged first."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Literal

from tokbench.api import Marks
from tokbench_bpe.corpus import Pair

Ties = Literal["greatest", "smallest", "first"]


def best_pair(
    counts: Mapping[Pair, int], words: Iterable[Sequence[str]], ties: Ties, marks: Marks
) -> Pair:
    """Give the most frequent pair of words that are given as their symbols.

    Among equals `greatest` and `smallest` compare the spelled pairs by code points, and the raw
    pairs where marks are spelled as the text spells something else; `first` takes the pair that
    stands first in the words.
    """
    most = max(counts.values())
    equals = {pair for pair, count in counts.items() if count == most}

    def spelled(pair: Pair) -> tuple[str, ...]:
        return (marks.show(pair[0]), marks.show(pair[1]), *pair)

    if ties == "greatest":
        return max(equals, key=spelled)
    if ties == "smallest":
        return min(equals, key=spelled)
    return next(pair for word in words for pair in pairwise(word) if pair in equals)


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


# UTF-8 keeps the order of code points, and its bytes stay below 0xF5.
_DOWNWARD = bytes((0xFE - byte) % 0x100 for byte in range(0x100))


def _descending(text: str) -> bytes:
    """Give a key that sorts texts from the greatest to the smallest.

    The closing byte is above every other, so that a text comes after its extensions.
    """
    return text.encode("utf-8", "surrogatepass").translate(_DOWNWARD) + b"\xff"
