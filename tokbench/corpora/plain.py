"""Counting words in plain Python; run as a program, in a process of its own.

It imports nothing of tokbench, so that such a process starts in the time that Python takes.
"""

import struct
import sys
from array import array
from collections import Counter
from contextlib import suppress
from itertools import accumulate
from typing import IO, NamedTuple

HEADER = struct.Struct("<qq?")
"""Before each piece: its number, its length in bytes, and whether it is a list of words."""

_SIZES = struct.Struct("<qqq")


class Columns(NamedTuple):
    """Counted words in the order in which they were met, as in `tokbench.api.CountedWords`.

    `met` holds pairs: the number of a piece, and how many words were met in it first.
    """

    utf8: bytes
    ends: "array[int]"
    counts: "array[int]"
    met: "array[int]"


class PlainCounter:
    """Counts the matches of a pattern, or without one what stands between ASCII white space.

    No match may hold ASCII white space. So each distinct run without white space is searched only
    once a piece, and taking these runs in their order keeps the order of the words.
    """

    def __init__(self, pattern: str = "") -> None:
        self._pattern = pattern
        self._words: Counter[bytes] = Counter()
        self._met = array("q")

    def add(self, piece: bytes | list[str], number: int) -> None:
        """Count the words of a text, or of a list."""
        before = len(self._words)
        if not isinstance(piece, bytes):
            self._words.update([word.encode() for word in piece])
        elif not self._pattern:
            self._words.update(piece.split())
        else:
            self._add_matches(piece)
        self._met.extend((number, len(self._words) - before))

    def _add_matches(self, text: bytes) -> None:
        import regex  # whoever cuts at white space only does not wait for it

        words: Counter[str] = Counter()
        find = regex.compile(self._pattern).findall
        for run, count in Counter(text.split()).items():
            for word in find(run.decode()):
                words[word] += count
        self._words.update({word.encode(): count for word, count in words.items()})

    def columns(self) -> Columns:
        """Give all words."""
        words = self._words
        ends = array("q", accumulate(map(len, words)))
        return Columns(b"".join(words), ends, array("q", words.values()), self._met)


def write(columns: Columns, stream: IO[bytes]) -> None:
    """Write columns to a stream."""
    stream.write(_SIZES.pack(len(columns.utf8), len(columns.ends), len(columns.met)))
    for column in columns:
        stream.write(column)


def read(stream: IO[bytes]) -> Columns:
    """Read columns from a stream; raises EOFError where it ends too early."""
    utf8, words, met = _SIZES.unpack(_exactly(stream, _SIZES.size))
    text = _exactly(stream, utf8)
    return Columns(text, *(array("q", _exactly(stream, 8 * n)) for n in (words, words, met)))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def serve(pattern: str, pieces: IO[bytes], result: IO[bytes]) -> None:
    """Count all pieces of a stream, each after its header; then write the columns."""
    counter = PlainCounter(pattern)
    while header := pieces.read(HEADER.size):
        if len(header) < HEADER.size:
            raise EOFError
        number, length, listed = HEADER.unpack(header)
        piece = _exactly(pieces, length)
        counter.add(_words(piece) if listed else piece, number)
    write(counter.columns(), result)


def _words(piece: bytes) -> list[str]:
    return piece.decode().split("\n") if piece else []


if __name__ == "__main__":
    # Where the process that started this one has ended, nobody is left to tell.
    with suppress(EOFError, BrokenPipeError):
        serve(sys.argv[1], sys.stdin.buffer, sys.stdout.buffer)
