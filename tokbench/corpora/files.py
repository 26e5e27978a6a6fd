"""Corpus files as bytes: plain or gzipped, with one clear error for whatever goes wrong."""

import codecs
import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from tokbench.errors import InputError

GZIP = b"\x1f\x8b"
CHUNK = 1 << 19
"""Bytes read at a time: what fits in the processor's cache is counted fastest."""
_BUFFER = 1 << 20
_BLANK = b" \t\n\r\f\v" + codecs.BOM_UTF8
"""Bytes of a text that may still turn out to be blank."""

_told: ContextVar[Callable[[int], None]] = ContextVar("told", default=lambda size: None)


@contextmanager
def telling(told: Callable[[int], None]) -> Iterator[None]:
    """Tell of each chunk that is read inside, how many bytes it has."""
    token = _told.set(told)
    try:
        yield
    finally:
        _told.reset(token)


@contextmanager
def open_text(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading its text as bytes, gunzipped where it is gzipped.

    Raises InputError, naming the file, if it cannot be opened or read to its end.
    """
    try:
        if path.is_char_device() or path.is_block_device():
            raise InputError(f"{path}: is a device; give a file")
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


def _unpacked(path: Path, file: io.BufferedReader) -> io.BufferedReader:
    if file.peek(len(GZIP))[: len(GZIP)] == GZIP:
        # GzipFile alone looks for line ends slowly; the buffer around it makes that fast.
        return io.BufferedReader(gzip.GzipFile(fileobj=file), _BUFFER)
    if path.suffix == ".gz":
        raise InputError(f"{path}: not a gzip file, though its name ends in .gz")
    return file


def raw_lines(path: Path) -> Iterator[bytes]:
    r"""Read a file's lines as bytes, each with its line end; lines end at `\n` only."""
    with open_text(path) as stream:
        yield from stream


class RawChunk(NamedTuple):
    """Whole lines of a file, or a part of one line: whether its line begins and ends here."""

    raw: bytes
    begins: bool = True
    ends: bool = True


def raw_chunks(path: Path, breaks: bytes = b"") -> Iterator[RawChunk]:
    """Read a file's bytes in large chunks, each of whole lines.

    Where there are `breaks`, some of ASCII white space, a line that is longer than a chunk comes
    in parts: each but the last ends with one of them, and the first isn't blank.
    """
    with open_text(path) as stream:
        told = _told.get()
        while text := stream.read(CHUNK):
            told(len(text))
            if not text.endswith(b"\n"):
                # One line may be larger than a chunk: the next bytes up to its end belong to it.
                text += stream.readline(CHUNK if breaks else -1)
            whole = text.endswith(b"\n") or not breaks
            begin = len(text) if whole else text.rfind(b"\n") + 1
            if begin:
                yield RawChunk(text[:begin])
            if begin < len(text):
                yield from _parts(text[begin:], stream, breaks)


def _parts(begun: bytes, stream: io.BufferedReader, breaks: bytes) -> Iterator[RawChunk]:
    """Read the rest of a line that begins with these bytes, in parts."""
    held: list[bytes] = []
    begins, blank = True, True
    while not begun.endswith(b"\n") and (following := stream.readline(CHUNK)):
        cut = 1 + max(map(begun.rfind, breaks))
        if cut and (not blank or begun[:cut].strip(_BLANK)):
            yield RawChunk(b"".join((*held, begun[:cut])), begins, ends=False)
            held, begun, begins, blank = [], begun[cut:], False, False
        blank = blank and not begun.strip(_BLANK)
        held.append(begun)
        begun = following
    yield RawChunk(b"".join((*held, begun)), begins)


def text_digest(path: Path) -> str:
    """Compute the SHA-256 (hexadecimal) of a file's text as bytes, gunzipped if it is gzipped."""
    with open_text(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def combined_digest(parts: Iterable[str]) -> str:
    """Compute the SHA-256 of several digests or descriptions, in their order (hexadecimal)."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
