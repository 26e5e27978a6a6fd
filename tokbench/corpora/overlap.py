"""Find test lines that also stand in the training text, by 64 bits for each line."""

from array import array
from collections.abc import Iterable
from functools import cached_property
from hashlib import blake2b

import numpy as np

from tokbench.api import kernels
from tokbench.api.count_table import Ints
from tokbench.corpora.splitters import ASCII_SPACE, KERNELS

_QUOTED = 60
_MARKS_A_LINE = 8
"""Size of the filter; the more, the fewer training lines pass it by chance."""

LONG = 1 << 16
"""Bytes of a line, without the white space around it, beyond which it may come in parts."""


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

    def met(self, hashes: Ints) -> tuple[Ints, Ints]:
        """Find the hashes of watched lines: their positions, and the numbers of these lines."""
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
    def found(self) -> str:
        """Say how many lines also occur in the training text; nothing where none does."""
        if self._earliest < 0:
            return ""
        both = int(self._watched.count[self._watched.found].sum())
        text = self._text
        quoted = repr(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…")
        return f"{both:,} of {len(self._lines):,} in {self._where} (first: {quoted})"


def overlap_warnings(overlaps: Iterable[Overlap]) -> list[str]:
    """Return one warning of all test texts with lines that also occur in the training text."""
    found = "; ".join(one.found for one in overlaps if one.found)
    what = "test lines that also occur in the training text flatter scores"
    return [f"{what}: {found}"] if found else []


class LineHashes:
    """Computes 64 bits for each line of a text.

    Lines that are equal, but for ASCII white space around them, get the same bits. Among five
    thousand million different lines, the chance that any two share them is one half.
    """

    def __init__(self) -> None:
        self._growing = _GrowingLine()

    def __call__(self, text: bytes, begins: bool, ends: bool) -> tuple[bytes, Ints]:
        """Hash lines: those of the text, or the line whose last part it is; return both."""
        if begins and ends:
            return text, _whole_hashes(text)
        if begins:
            self._growing = _GrowingLine()
        self._growing.add(text)
        if not ends:
            return b"", np.empty(0, dtype=np.int64)
        line = self._growing
        if line.length > LONG:
            return line.text, np.array([_number(line.hash)], dtype=np.int64)
        return line.text, short_hashes(line.text)


def _whole_hashes(text: bytes) -> Ints:
    found = short_hashes(text)
    if _may_hold_long(text):
        found = found.copy()
        for number, line in enumerate(map(bytes.strip, text.split(b"\n"))):
            if len(line) > LONG:
                found[number] = _number(_digest(line))
    return found


def short_hashes(text: bytes) -> Ints:
    """Hash lines that don't come in parts, whatever their length."""
    compiled = kernels(KERNELS)
    if compiled is not None:
        return np.frombuffer(compiled.line_hashes(text), dtype=np.int64)
    lines = text.split(b"\n")
    return np.fromiter(map(hash, map(bytes.strip, lines)), dtype=np.int64, count=len(lines))


def _may_hold_long(text: bytes) -> bool:
    at = 0
    while len(text) - at > LONG:
        end = text.rfind(b"\n", at, at + LONG + 1)
        if end < 0:
            return True
        at = end + 1
    return False


def _digest(line: bytes) -> "blake2b":
    return blake2b(line, digest_size=8)


def _number(hashed: "blake2b") -> int:
    return int.from_bytes(hashed.digest(), "little", signed=True)


class _GrowingLine:
    """A line that comes in parts: its length and `hash` without the white space around it.

    `text` is its beginning, or all of a line that turns out not to be long.
    """

    def __init__(self) -> None:
        self.text = b""
        self.length = 0
        self._space = b""
        self.hash = _digest(b"")

    def add(self, part: bytes) -> None:
        """Add the next part."""
        part = self._space + part if self.length else part.lstrip()
        body = part.rstrip()
        self._space = part[len(body) :]
        self.hash.update(body)
        if self.length <= LONG:
            self.text += body
        self.length += len(body)
