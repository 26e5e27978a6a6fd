"""Corpus files as bytes: plain or gzipped, with one clear error for whatever goes wrong."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tokbench.errors import InputError

GZIP = b"\x1f\x8b"
CHUNK = 1 << 19
"""Bytes read at a time: what fits in the processor's cache is counted fastest."""
_BUFFER = 1 << 20


@contextmanager
def reading(path: Path) -> Iterator[io.BufferedReader]:
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
    r"""Give a file's lines as bytes, each with its line end; lines end at `\n` only."""
    with reading(path) as stream:
        yield from stream


def raw_chunks(path: Path) -> Iterator[bytes]:
    """Give a file's bytes in large chunks, each of whole lines."""
    with reading(path) as stream:
        while chunk := stream.read(CHUNK):
            # One line may be larger than a chunk: the next bytes up to its end belong to it.
            yield chunk if chunk.endswith(b"\n") else chunk + stream.readline()


def text_digest(path: Path) -> str:
    """Give the SHA-256 of a file's text as bytes, gunzipped where it is gzipped (hexadecimal)."""
    with reading(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def combined_digest(parts: Iterable[str]) -> str:
    """Give the SHA-256 of several digests or descriptions, in their order (hexadecimal)."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
