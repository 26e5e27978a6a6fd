"""The tokens of whole lines, with the bytes that each covers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokbench.api.count_table import Ints
from tokbench.api.units import byte_length
from tokbench.api.words import byte_widths, code_points


@dataclass(frozen=True, eq=False)
class LineTokens:
    """The tokens of lines as flat arrays.

    Line `i` has the tokens `row[i]` to `row[i + 1]` of `ids` (position in the vocabulary's
    `tokens`, -1 for a token that it does not hold), `starts` and `ends`: the bytes of the line's
    UTF-8 (surrogatepass) that the token covers. Neither falls from token to token of a line. A
    span is empty for a token without text; spans overlap where several tokens share a character
    and it is not known which of its bytes each has.
    """

    row: Ints
    ids: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def from_characters(
        cls,
        lines: Sequence[str],
        row: ArrayLike,
        ids: ArrayLike,
        starts: ArrayLike,
        ends: ArrayLike,
    ) -> "LineTokens":
        """Build from offsets in code points of each line."""
        row, starts, ends = _whole(row), _whole(starts), _whole(ends)
        if all(map(str.isascii, lines)):
            return cls(row, _whole(ids), starts, ends)
        byte = np.concatenate(([0], np.cumsum(byte_widths(code_points("".join(lines))))))
        first = np.cumsum([0, *map(len, lines)], dtype=np.int64)[:-1]
        begin = np.repeat(first, np.diff(row))
        before = byte[begin]
        return cls(row, _whole(ids), byte[begin + starts] - before, byte[begin + ends] - before)

    @classmethod
    def from_lengths(cls, row: ArrayLike, ids: ArrayLike, lengths: ArrayLike) -> "LineTokens":
        """Build from the bytes that each token covers, where tokens lie one after another."""
        row = _whole(row)
        ends = np.cumsum(_whole(lengths))
        before = np.concatenate(([0], ends))[row[:-1]]
        ends = ends - np.repeat(before, np.diff(row))
        return cls(row, _whole(ids), ends - _whole(lengths), ends)

    def pairs(self, lines: Sequence[str]) -> Iterator[list[tuple[int | None, int]]]:
        """Return each line's tokens as (id, bytes), None for an id where bytes are dropped.

        Of bytes that tokens share, the first of the tokens has them.
        """
        row, ids = _whole(self.row).tolist(), _whole(self.ids).tolist()
        starts, ends = _whole(self.starts).tolist(), _whole(self.ends).tolist()
        for number, line in enumerate(lines):
            found: list[tuple[int | None, int]] = []
            position = 0
            for i in range(row[number], row[number + 1]):
                if starts[i] > position:
                    found.append((None, starts[i] - position))
                    position = starts[i]
                found.append((ids[i], max(ends[i] - position, 0)))
                position = max(position, ends[i])
            if rest := byte_length(line) - position:
                found.append((None, rest))
            yield found


def _whole(values: Any) -> NDArray[np.int64]:
    return np.asarray(values, dtype=np.int64)
