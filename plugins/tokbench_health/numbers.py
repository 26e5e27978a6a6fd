"""How a vocabulary cuts numbers."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import mul
from random import Random
from typing import ClassVar

from pydantic import Field

from tokbench.api import Analysis, Cell, Column, UsedVocabulary

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
        for digits in range(1, LONGEST + 1):
            yield self._row(used, digits)

    def drawn(self, digits: int) -> Sequence[str]:
        """Return the numbers of a length, drawn without repetition."""
        first, end = 10 ** (digits - 1) * (digits > 1), 10**digits
        many = min(self.count, end - first)
        return [*map(str, sorted(Random(f"{self.seed} {digits}").sample(range(first, end), many)))]

    def _row(self, used: UsedVocabulary, digits: int) -> Mapping[str, Cell]:
        import numpy as np  # only where it is used

        numbers = self.drawn(digits)
        cut = used.cut(numbers)
        number = np.repeat(np.arange(len(numbers)), np.diff(cut.row))
        covered = np.bincount(number, cut.ends - cut.starts, len(numbers))
        unknown = (np.bincount(number, cut.ids < 0, len(numbers)) > 0) | (covered < digits)
        # A way to cut is a number: its bit `i` tells whether a piece ends behind digit `i`.
        piece = (cut.ends > cut.starts) & (cut.ends < digits)
        bits = 1 << cut.ends[piece]
        ways, times = np.unique(
            np.bincount(number[piece], bits, len(numbers)).astype(np.int64), return_counts=True
        )
        cuts = [_lengths(way, digits) for way in ways.tolist()]
        commonest = int(np.argmax(times))

        def share(of: Sequence[bool] | int) -> float:
            return float(np.sum(times[of]) / len(numbers))

        return {
            "digits": digits,
            "numbers": len(numbers),
            "pieces": sum(map(mul, times.tolist(), map(len, cuts))) / len(numbers),
            "kept-whole": share([len(cut) == 1 for cut in cuts]),
            "not-known": float(unknown.mean()),
            "ways": len(cuts),
            "commonest": "+".join(map(str, cuts[commonest])),
            "commonest-share": share(commonest),
            "from-left": share([_is_regular(cut) for cut in cuts]),
            "from-right": share([_is_regular(cut[::-1]) for cut in cuts]),
        }


def _lengths(way: int, digits: int) -> list[int]:
    """Return the lengths of the pieces."""
    ends = [0, *(end for end in range(1, digits) if way >> end & 1), digits]
    return [end - begin for begin, end in pairwise(ends)]


def _is_regular(lengths: Sequence[int]) -> bool:
    """Return whether all pieces but the last have one length, and the last is no longer."""
    return {*lengths[:-1]} <= {lengths[0]} and lengths[-1] <= lengths[0]
