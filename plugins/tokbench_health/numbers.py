"""How a vocabulary cuts numbers."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, pairwise
from operator import mul
from random import Random
from typing import ClassVar

from pydantic import Field

from tokbench.api import Analysis, Cell, Column
from tokbench.api.arrays import UsedVocabulary

LONGEST = 6


class Numbers(Analysis):
    """Cuts whole numbers of one to six digits, and says whether all of a length are cut alike.

    Models learn arithmetic more easily where digits of equal place stand in equal pieces (Singh and
    Strouse 2024, arXiv 2402.14903). A number is cut *from the left* where all its pieces but the
    last have one length and the last is no longer, as in 123 456 7; *from the right* where that
    holds but for the first, as in 1 234 567. A piece is a token that holds digits.
    """

    count: int = Field(
        1_000, ge=1, description="how many numbers of a length; all if there are fewer"
    )
    seed: int = Field(0, ge=0, description="draws the numbers")

    columns: ClassVar[Mapping[str, Column]] = {
        "digits": "number",
        "numbers": "number",
        "pieces": "number",
        "kept-whole": "number",
        "not-known": "number",
        "ways": "number",
        "commonest": "text",
        "commonest-share": "number",
        "from-left": "number",
        "from-right": "number",
    }

    def rows(self, used: UsedVocabulary) -> Iterator[Mapping[str, Cell]]:
        """Yield a row for each length."""
        import numpy as np  # only where it is used

        numbers = drawn(self.count, self.seed)
        many, digits = len(numbers), np.array([*map(len, numbers)])
        cut = used.cut(numbers)
        number = np.repeat(np.arange(many), np.diff(cut.row))
        covered = np.bincount(number, cut.ends - cut.starts, many)
        unknown = (np.bincount(number, cut.ids < 0, many) > 0) | (covered < digits)
        # A way to cut is a number: its bit `i` tells whether a piece ends behind digit `i`.
        piece = (cut.ends > cut.starts) & (cut.ends < digits[number])
        ways = np.bincount(number[piece], 1 << cut.ends[piece], many).astype(np.int64)
        for length in range(1, LONGEST + 1):
            alike = digits == length
            distinct, times = np.unique(ways[alike], return_counts=True)
            yield _row(length, distinct.tolist(), times.tolist(), float(unknown[alike].mean()))


@cache
def drawn(count: int, seed: int) -> Sequence[str]:
    """Return up to `count` numbers of each length, drawn without repetition and sorted."""
    numbers: list[int] = []
    for digits in range(1, LONGEST + 1):
        every = range(10 ** (digits - 1) * (digits > 1), 10**digits)
        numbers += sorted(Random(f"{seed} {digits}").sample(every, min(count, len(every))))
    return [*map(str, numbers)]


def _row(
    digits: int, ways: Sequence[int], times: Sequence[int], unknown: float
) -> Mapping[str, Cell]:
    """Return the row of a length, whose numbers are cut in `ways`, each so many `times`."""
    numbers, cuts = sum(times), [_lengths(way, digits) for way in ways]
    commonest = times.index(max(times))

    def share(of: Iterable[bool]) -> float:
        return sum(compress(times, of)) / numbers

    return {
        "digits": digits,
        "numbers": numbers,
        "pieces": sum(map(mul, times, map(len, cuts))) / numbers,
        "kept-whole": share(len(cut) == 1 for cut in cuts),
        "not-known": unknown,
        "ways": len(cuts),
        "commonest": "+".join(map(str, cuts[commonest])),
        "commonest-share": times[commonest] / numbers,
        "from-left": share(_is_regular(cut) for cut in cuts),
        "from-right": share(_is_regular(cut[::-1]) for cut in cuts),
    }


def _lengths(way: int, digits: int) -> list[int]:
    """Return the lengths of the pieces."""
    ends = [0, *(end for end in range(1, digits) if way >> end & 1), digits]
    return [end - begin for begin, end in pairwise(ends)]


def _is_regular(lengths: Sequence[int]) -> bool:
    """Return whether all pieces but the last have one length, and the last is no longer."""
    return {*lengths[:-1]} <= {lengths[0]} and lengths[-1] <= lengths[0]
