"""Test lines that also stand in the training text."""

from array import array
from functools import cached_property

import numpy as np

from tokbench.corpora.hashing import Hashes, LineHashes
from tokbench.corpora.splitters import ASCII_SPACE

_QUOTED = 60
_MARKS_A_LINE = 8
"""Size of the filter; the more, the fewer training lines pass it by chance."""


class _Watched:
    """The distinct lines of a test text by their hashes, in rising order.

    `first` is the number of the first such line, `count` how many there are.
    """

    def __init__(self, lines: "array[int]") -> None:
        hashes = np.array(lines, dtype=np.int64)
        self.hashes, self.first, self.count = np.unique(
            hashes, return_index=True, return_counts=True
        )
        self.found = np.zeros(len(self.hashes), dtype=np.bool_)
        size = 1 << (_MARKS_A_LINE * max(1, len(self.hashes)) - 1).bit_length()
        self._mask = size - 1
        self._marked = np.zeros(size, dtype=np.bool_)
        self._marked[self.hashes & self._mask] = True

    def met(self, hashes: Hashes) -> tuple[Hashes, Hashes]:
        """Give which of the hashes are those of watched lines, and of which ones."""
        likely = np.flatnonzero(self._marked[hashes & self._mask])
        at = np.searchsorted(self.hashes, hashes[likely])
        at = np.minimum(at, len(self.hashes) - 1)
        right = self.hashes[at] == hashes[likely]
        return likely[right], at[right]


class Overlap:
    """Finds the lines of a test text that also stand in the training text.

    It keeps 8 bytes of each line, and the one line that it will quote: the first of the test text
    that was met.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._hashes = LineHashes()
        self._lines = array("q")
        self._earliest = -1
        self._text = ""

    def watch(self, text: bytes, begins: bool, ends: bool) -> None:
        """Remember lines of the test text; all of them come before those of the training text.

        A part of one line says whether that line begins and ends there.
        """
        _, hashes = self._hashes(text, begins, ends)
        self._lines.frombytes(hashes.tobytes())

    @cached_property
    def _watched(self) -> _Watched:
        return _Watched(self._lines)

    def see(self, text: bytes, begins: bool, ends: bool) -> None:
        """Compare lines of the training text, or a part of one."""
        watched = self._watched
        if not len(watched.hashes):
            return
        text, hashes = self._hashes(text, begins, ends)
        lines, at = watched.met(hashes)
        if not len(at):
            return
        watched.found[at] = True
        best = int(watched.first[at].argmin())
        number = int(watched.first[at[best]])
        if self._earliest < 0 or number < self._earliest:
            self._earliest = number
            self._text = text.split(b"\n")[lines[best]].decode().strip(ASCII_SPACE)

    @property
    def warnings(self) -> list[str]:
        """Say how many of the lines also stand in the training text, if any."""
        if self._earliest < 0:
            return []
        both = int(self._watched.count[self._watched.found].sum())
        text = self._text
        quoted = repr(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…")
        return [
            f"{self._where}: {both:,} of its {len(self._lines):,} lines also stand in the "
            f"training text (first: {quoted}), which flatters its scores"
        ]
