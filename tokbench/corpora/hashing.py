"""Lines as numbers, by which equal lines are found in two texts."""

from collections.abc import Callable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from tokbench.api import kernels
from tokbench.corpora.splitters import KERNELS

LONG = 1 << 16
"""Bytes of a line, without the white space around it, beyond which it may come in parts."""

Hashes = NDArray[np.int64]


class LineHashes:
    """Gives 64 bits for each line of a text.

    They are equal where lines are equal but for ASCII white space around them. That two different
    lines share them is as likely as not only among five thousand million lines.
    """

    def __init__(self) -> None:
        self._short = short_hashes()
        self._growing = _GrowingLine()

    def __call__(self, text: bytes, begins: bool, ends: bool) -> tuple[bytes, Hashes]:
        """Give lines and their hashes: those of the text, or of the line whose last part it is."""
        if begins and ends:
            return text, self._hashes(text)
        if begins:
            self._growing = _GrowingLine()
        self._growing.add(text)
        if not ends:
            return b"", np.empty(0, dtype=np.int64)
        line = self._growing
        if line.length > LONG:
            return line.text, np.array([_number(line.digest())], dtype=np.int64)
        return line.text, self._short(line.text)

    def _hashes(self, text: bytes) -> Hashes:
        found = self._short(text)
        if _may_hold_long(text):
            found = found.copy()
            for number, line in enumerate(map(bytes.strip, text.split(b"\n"))):
                if len(line) > LONG:
                    found[number] = _number(_digest(line).digest())
        return found


def short_hashes() -> Callable[[bytes], Hashes]:
    """Give the function for lines that are at hand as a whole."""
    compiled = kernels(KERNELS)
    if compiled is not None:
        return lambda text: np.frombuffer(compiled.line_hashes(text), dtype=np.int64)
    return _plain_hashes


def _plain_hashes(text: bytes) -> Hashes:
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


def _number(digest: bytes) -> int:
    return int.from_bytes(digest, "little", signed=True)


class _GrowingLine:
    """A line that comes in parts: its length without white space around it, and its beginning.

    `text` holds all of a line that turns out not to be long.
    """

    def __init__(self) -> None:
        self.text = b""
        self.length = 0
        self._space = b""
        self._hash = _digest(b"")

    def add(self, part: bytes) -> None:
        """Add the next part."""
        part = self._space + part if self.length else part.lstrip()
        body = part.rstrip()
        self._space = part[len(body) :]
        self._hash.update(body)
        if self.length <= LONG:
            self.text += body
        self.length += len(body)

    def digest(self) -> bytes:
        """Give the digest of the line so far."""
        return self._hash.digest()
