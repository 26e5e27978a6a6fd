"""The bytes of corpus files, plain or gzipped, with one clear error for whatever goes wrong."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import BinaryIO

from tokbench.api.files import check_is_file
from tokbench.corpora.wrong_files import not_text
from tokbench.errors import InputError

GZIP = b"\x1f\x8b"
CHUNK = 1 << 19
"""Bytes read at a time: what fits in the processor's cache is counted fastest."""
LONGEST_LINE = 50_000_000
"""The most bytes of a line, which is held whole."""
LARGEST_TEXT = 10**11
"""The most bytes that a packed file may hold: a file made to harm holds far more."""
COUNTS = b"#tokbench-counts\t"
"""How a file of counts begins that `tokbench count` wrote."""

_BUFFER = 1 << 20
_HEAD = 4096
_BOM = b"\xef\xbb\xbf"
Opener = Callable[[Path], AbstractContextManager[io.BufferedReader]]

_on_read: ContextVar[Callable[[int], None]] = ContextVar("on_read", default=lambda size: None)


@contextmanager
def telling(on_read: Callable[[int], None]) -> Iterator[None]:
    """Call a function with the bytes of each chunk that is read inside."""
    token = _on_read.set(on_read)
    try:
        yield
    finally:
        _on_read.reset(token)


@contextmanager
def open_text(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading its text as bytes, gunzipped where it is gzipped.

    Raises InputError, naming the file, if it cannot be opened or read to its end, or if a gzip file
    holds more than LARGEST_TEXT bytes.
    """
    try:
        check_is_file(path)
        with path.open("rb") as file:
            yield _unpacked(path, file)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; give a file, or a list of files") from None
    except EOFError:
        raise InputError(f"{path}: truncated gzip file: it ends in the middle") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InputError(f"{path}: damaged gzip file: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


class _Unpacked(gzip.GzipFile):
    """A gzip file that refuses to give more than LARGEST_TEXT bytes."""

    def __init__(self, path: Path, file: io.BufferedReader) -> None:
        super().__init__(fileobj=file)
        self._path = path

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        check_size(self.tell(), self._path)
        return data


def check_size(unpacked: int, where: object) -> None:
    """Raise InputError if a packed file has given more bytes than any text has."""
    if unpacked > LARGEST_TEXT:
        raise InputError(
            f"{where}: holds more than {LARGEST_TEXT:,} bytes when it is unpacked; split the text "
            "into several files"
        )


def _unpacked(path: Path, file: io.BufferedReader) -> io.BufferedReader:
    if file.peek(len(GZIP))[: len(GZIP)] == GZIP:
        # GzipFile alone looks for line ends slowly; the buffer around it makes that fast.
        return io.BufferedReader(_Unpacked(path, file), _BUFFER)
    if path.suffix == ".gz":
        raise InputError(f"{path}: not a gzip file, though its name ends in .gz")
    return file


def raw_lines(path: Path, may_be_counts: bool = False) -> Iterator[bytes]:
    r"""Read a file's lines as bytes, each with its line end; lines end at `\n` only."""
    with open_text(path) as stream:
        yield from lines_of_stream(stream, path, may_be_counts)


def lines_of_stream(stream: BinaryIO, where: Path, may_be_counts: bool = False) -> Iterator[bytes]:
    """Read the lines of a stream.

    Raises InputError for one of more than LONGEST_LINE bytes, or if the first shows no text.
    """
    for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), start=1):
        _check_length(len(raw), where, number)
        if number == 1:
            check_is_text(raw, where, may_be_counts)
        yield raw


def chunks_of_stream(stream: BinaryIO, where: Path) -> Iterator[tuple[int, bytes]]:
    """Read a stream in chunks of about CHUNK bytes, each of whole lines.

    Yields the number of the first line, from 1, and the bytes. Raises InputError for a line of more
    than LONGEST_LINE bytes.
    """
    on_read, number = _on_read.get(), 1
    while chunk := stream.read(CHUNK):
        on_read(len(chunk))
        if not chunk.endswith(b"\n"):
            chunk += stream.readline(LONGEST_LINE + 1)
        if len(chunk) > LONGEST_LINE:
            last = chunk.rfind(b"\n", 0, -1) + 1
            _check_length(len(chunk) - last, where, number + chunk.count(b"\n", 0, last))
        yield number, chunk
        number += chunk.count(b"\n")


def _check_length(length: int, where: Path, number: int) -> None:
    if length > LONGEST_LINE:
        raise InputError(
            f"{where}:{number}: a line of more than {LONGEST_LINE:,} bytes; put line ends into it, "
            "as `fold -s -w 10000 OLD > NEW` does"
        )


def check_is_text(begin: bytes, where: Path, may_be_counts: bool = False) -> None:
    """Raise InputError if a file begins as no text does, or as a file of counts does."""
    if wrong := not_text(begin[:_HEAD]):
        raise InputError(f"{where}: {wrong}")
    if not may_be_counts and begin.removeprefix(_BOM).startswith(COUNTS):
        right = "expected text: the corpus `train` of a config reads them with `format: counts`"
        raise InputError(f"{where}:1: found the word counts of `tokbench count`, {right}")


def text_digest(path: Path) -> str:
    """Compute the SHA-256 (hexadecimal) of a file's text as bytes, gunzipped if it is gzipped."""
    with open_text(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def combined_digest(parts: Iterable[str]) -> str:
    """Compute the SHA-256 of several digests or descriptions, in their order (hexadecimal)."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
