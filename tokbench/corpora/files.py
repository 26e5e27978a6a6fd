"""Corpus files as bytes: plain or gzipped, with one clear error for whatever goes wrong."""

import codecs
import gzip
import hashlib
import io
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tokbench.api.files import check_is_file, not_text
from tokbench.corpora.lines import refuse_counts
from tokbench.errors import InputError

GZIP = b"\x1f\x8b"
CHUNK = 1 << 19
"""Bytes read at a time: what fits in the processor's cache is counted fastest."""
LONGEST_LINE = 10_000_000
"""The most bytes of a line that is needed whole, and of text without a break kept together."""
MAX_COMPRESSION = 200
"""How many times as long as its gzip file a text may be: prose is 3 to 5, logs seldom over 100."""
_ALLOWED = 1 << 24
"""Bytes that a text may have in any case: in a short one, a high ratio does no harm."""
_BUFFER = 1 << 20
_HEAD = 4096
BLANK = b" \t\n\r\f\v" + codecs.BOM_UTF8
"""Bytes of a text that may still turn out to be blank."""
Opener = Callable[[Path, int], AbstractContextManager[io.BufferedReader]]

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
def open_text(path: Path, max_compression: int = MAX_COMPRESSION) -> Iterator[io.BufferedReader]:
    """Open a file for reading its text as bytes, gunzipped where it is gzipped.

    Raises InputError, naming the file, if it cannot be opened or read to its end, or if a gzip file
    holds more than `max_compression` times its own bytes.
    """
    try:
        check_is_file(path)
        with path.open("rb") as file:
            yield _unpacked(path, file, max_compression)
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


def _check_is_text(begin: bytes, where: Path) -> None:
    if wrong := not_text(begin[:_HEAD]):
        raise InputError(f"{where}: {wrong}")


class _Unpacked(gzip.GzipFile):
    """A gzip file that refuses to give more than `most` bytes, of which an error tells `why`."""

    def __init__(self, file: io.BufferedReader, most: int, why: str) -> None:
        super().__init__(fileobj=file)
        self._most = most
        self._why = why

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if self.tell() > self._most:
            raise InputError(self._why)
        return data


def _unpacked(path: Path, file: io.BufferedReader, max_compression: int) -> io.BufferedReader:
    if file.peek(len(GZIP))[: len(GZIP)] == GZIP:
        packed = path.stat().st_size if path.is_file() else sys.maxsize  # how long is a pipe?
        why = (
            f"{path}: a gzip file of {packed:,} bytes that holds more than {max_compression:,} "
            "times as many; if that is right, raise `max-compression` (of a command: "
            "--max-compression)"
        )
        most = max(_ALLOWED, max_compression * packed)
        # GzipFile alone looks for line ends slowly; the buffer around it makes that fast.
        return io.BufferedReader(_Unpacked(file, most, why), _BUFFER)
    if path.suffix == ".gz":
        raise InputError(f"{path}: not a gzip file, though its name ends in .gz")
    return file


def raw_lines(path: Path, max_compression: int = MAX_COMPRESSION) -> Iterator[bytes]:
    r"""Read a file's lines as bytes, each with its line end; lines end at `\n` only."""
    with open_text(path, max_compression) as stream:
        _check_is_text(stream.peek(_HEAD), path)
        yield from lines_of_stream(stream, path)


def lines_of_stream(stream: BinaryIO, where: Path) -> Iterator[bytes]:
    """Read the lines of a stream.

    Raises InputError for one of more than LONGEST_LINE bytes, or if the first shows no text.
    """
    for number, raw in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), start=1):
        if len(raw) > LONGEST_LINE:
            raise too_long(f"{where}:{number}")
        if number == 1:
            _check_is_text(raw, where)
            refuse_counts(raw, where)
        yield raw


def too_long(place: str) -> InputError:
    """Build the error that a line is too long to be taken whole."""
    return InputError(
        f"{place}: a line of more than {LONGEST_LINE:,} bytes, which is needed whole: put line ends"
        " into it, as `fold -s -w 10000 OLD > NEW` does"
    )


class RawChunk(NamedTuple):
    """Whole lines of a file, or a part of one line: whether its line begins and ends here."""

    raw: bytes
    begins: bool = True
    ends: bool = True


def raw_chunks(
    path: Path, breaks: bytes = b"", ratio: int = MAX_COMPRESSION, opened: Opener = open_text
) -> Iterator[RawChunk]:
    """Read a file's bytes in large chunks, each of whole lines.

    Where there are `breaks`, some of ASCII white space, a line that is longer than a chunk comes
    in parts: each but the last ends with one of them, or is LONGEST_LINE bytes without one, and the
    first isn't blank. Any other line of more than LONGEST_LINE bytes comes as a part that is blank,
    or though there are no `breaks`, for the reader to refuse.
    """
    with opened(path, ratio) as stream:
        _check_is_text(stream.peek(_HEAD), path)
        told = _told.get()
        while text := stream.read(CHUNK):
            told(len(text))
            if not text.endswith(b"\n"):
                # One line may be larger than a chunk: the next bytes up to its end belong to it.
                text += stream.readline(CHUNK if breaks else LONGEST_LINE + 1)
            last = text.rfind(b"\n", 0, -1) + 1
            whole = text.endswith(b"\n") if breaks else len(text) - last <= LONGEST_LINE
            begin = len(text) if whole else last
            if begin:
                yield RawChunk(text[:begin])
            if begin < len(text) and breaks:
                yield from _parts(text[begin:], stream, breaks)
            elif begin < len(text):
                yield RawChunk(text[begin:], ends=False)


def _parts(begun: bytes, stream: io.BufferedReader, breaks: bytes) -> Iterator[RawChunk]:
    """Read the rest of a line that begins with these bytes, in parts."""
    held: list[bytes] = []
    begins, blank = True, True
    while not begun.endswith(b"\n") and (following := stream.readline(CHUNK)):
        cut = 1 + max(map(begun.rfind, breaks))
        if cut and (not blank or begun[:cut].strip(BLANK)):
            yield RawChunk(b"".join((*held, begun[:cut])), begins, ends=False)
            held, begun, begins, blank = [], begun[cut:], False, False
        blank = blank and not begun.strip(BLANK)
        held.append(begun)
        begun = following
        while sum(map(len, held)) > LONGEST_LINE:
            joined = b"".join(held)
            cut = LONGEST_LINE
            while cut > LONGEST_LINE - 3 and joined[cut] & 0xC0 == 0x80:
                cut -= 1  # inside a character
            yield RawChunk(joined[:cut], begins, ends=False)
            held, begins = [joined[cut:]], False
    yield RawChunk(b"".join((*held, begun)), begins)


def text_digest(path: Path) -> str:
    """Compute the SHA-256 (hexadecimal) of a file's text as bytes, gunzipped if it is gzipped."""
    with open_text(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def combined_digest(parts: Iterable[str]) -> str:
    """Compute the SHA-256 of several digests or descriptions, in their order (hexadecimal)."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
