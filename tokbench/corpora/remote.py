"""Counting in plain Python in other processes, since one process keeps one core busy at most."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path

from tokbench.api import CountedWords
from tokbench.corpora import plain
from tokbench.corpora.pieces import Piece
from tokbench.errors import TokbenchError


class RemoteCounter:
    """Counts like a PlainCounter, in a process that ends with the `with` block.

    Raises OSError if no process can be started.
    """

    def __init__(self, pattern: str) -> None:
        # -P: no module of the folder of plain.py may stand in for one of the standard library.
        command = [sys.executable, "-P", str(Path(plain.__file__)), pattern]
        pipe = subprocess.PIPE
        # In a group of its own, Ctrl-C does not reach it; the `with` block ends it.
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, process_group=0)
        assert self._process.stdin is not None  # both were asked for
        assert self._process.stdout is not None
        self._pieces = self._process.stdin
        self._result = self._process.stdout

    def __enter__(self) -> "RemoteCounter":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        with suppress(OSError):  # what it did not take in goes nowhere
            self._pieces.close()
        self._result.close()
        self._process.wait()

    def add(self, piece: Piece, number: int) -> None:
        """Send a piece; raises TokbenchError if the process has died."""
        listed = not isinstance(piece, bytes)
        text = piece if isinstance(piece, bytes) else "\n".join(piece).encode()
        try:
            self._pieces.write(plain.HEADER.pack(number, len(text), listed))
            self._pieces.write(text)
        except OSError:
            raise self._died() from None

    def columns(self) -> plain.Columns:
        """Give all words; raises TokbenchError if the process has died."""
        try:
            self._pieces.close()
            return plain.read(self._result)
        except (OSError, EOFError):
            raise self._died() from None

    def _died(self) -> TokbenchError:
        code = self._process.wait()
        return TokbenchError(f"a process that counts words ended too early, with exit code {code}")


def merged(parts: Sequence[plain.Columns]) -> CountedWords:
    """Put the words of several counters, which shared the pieces of a text, into its order."""
    words = [_words(part) for part in parts]
    total: dict[bytes, int] = {}
    rows = [iter(listed) for listed in words]
    for _, which, fresh in sorted(_meetings(parts)):
        total.update(dict.fromkeys(islice(rows[which], fresh), 0))
    for listed, part in zip(words, parts, strict=True):
        for word, count in zip(listed, part.counts, strict=True):
            total[word] += count
    return CountedWords.encoded(total)


def _words(part: plain.Columns) -> list[bytes]:
    return [part.utf8[begin:end] for begin, end in pairwise((0, *part.ends))]


def _meetings(parts: Sequence[plain.Columns]) -> list[tuple[int, int, int]]:
    """Give number, counter and first-met words of each piece."""
    return [
        (number, which, fresh)
        for which, part in enumerate(parts)
        for number, fresh in zip(part.met[::2], part.met[1::2], strict=True)
    ]
