"""Which of several equally frequent pairs the fast learner merges first."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Literal

from tokbench.api import Marks

Ties = Literal["greatest", "smallest", "first"]


def spelled_order(
    names: Sequence[str], ties: Ties, marks: Marks
) -> Callable[[tuple[int, int]], Any]:
    """Return a sort key of pairs of numbered symbols that puts the preferred pair lowest."""
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
    """Return a key that sorts texts from the greatest to the smallest.

    The closing byte is above every other, so that a text comes after its extensions.
    """
    return text.encode("utf-8", "surrogatepass").translate(_DOWNWARD) + b"\xff"
