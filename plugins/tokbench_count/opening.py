"""Open shards of all kinds as text: unpack them, and take the text out of their records."""

import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from tokbench.api import InputError
from tokbench.commands import lines_of_stream, open_text
from tokbench_count.needs import needing
from tokbench_count.shards import Shard, open_filesystem

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
ALLOWED = 1 << 24
"""Bytes that a text may have in any case, however small its packed file is."""
Opener = Callable[[Path, int], AbstractContextManager[io.BufferedReader]]

PIECE = 1 << 10
"""Bytes that are unpacked at once: a block of zstd has at most 128 KB, and at least 4 bytes."""
ROWS = 256
"""Rows of a table that are read at once."""


def opener(shard: Shard) -> Opener:
    """Return what opens a shard as text of one line for each line or record of it.

    What it opens raises InputError, with the place, for what cannot be read.
    """

    @contextmanager
    def opened(path: Path, max_compression: int) -> Iterator[io.BufferedReader]:
        try:
            if shard.kind == "parquet":
                with _raw(shard) as (file, _):
                    yield _buffered(_rows(shard, file))
                return
            with _unpacked(shard, max_compression) as stream:
                yield stream if shard.kind == "text" else _buffered(_records(shard, stream))
        except EOFError:
            raise InputError(f"{shard.name}: truncated: it ends in the middle") from None
        except (OSError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{shard.name}: cannot be read: {reason}") from None

    return opened


@contextmanager
def _unpacked(shard: Shard, max_compression: int) -> Iterator[io.BufferedReader]:
    """Open the bytes of a shard, unpacked; nothing but the core knows our plain and gzip files."""
    if not shard.is_remote and not shard.place.endswith(".zst"):
        with open_text(Path(shard.place), max_compression) as text:
            yield text
        return
    with _raw(shard) as (file, size):
        begin = file.peek(len(ZSTD))
        if begin.startswith(ZSTD):
            pieces = _unzstd(shard, file)
        elif begin.startswith(GZIP):
            pieces = iter(partial(gzip.GzipFile(fileobj=file).read1, 1 << 16), b"")
        elif shard.place.endswith((".gz", ".zst")):
            kind = "gzip" if shard.place.endswith(".gz") else "zstd"
            raise InputError(f"{shard.name}: not a {kind} file, though its name says so")
        else:
            yield file
            return
        yield _buffered(_bounded(shard, pieces, size, max_compression))


@contextmanager
def _raw(shard: Shard) -> Iterator[tuple[io.BufferedReader, int]]:
    """Open a file as it is, and find out how long it is."""
    if not shard.is_remote:
        path = Path(shard.place)
        if not path.is_file():
            found = "is no file" if path.exists() else "no such file"
            raise InputError(f"{shard.place}: {found}")
        with path.open("rb") as file:
            yield file, path.stat().st_size
        return
    system, path_there = open_filesystem(shard.place)
    try:
        remote = system.open(path_there, "rb")
    except FileNotFoundError:
        raise InputError(f"{shard.name}: no such file") from None
    except Exception as error:  # of any library that reads such addresses
        raise InputError(f"{shard.name}: cannot be opened: {error}") from None
    with remote:
        size = getattr(remote, "size", None)
        yield io.BufferedReader(_Remote(shard, remote)), size or sys.maxsize


class _Remote(io.RawIOBase):
    """A file far away, each of whose libraries has errors of its own."""

    def __init__(self, shard: Shard, file: Any) -> None:
        self._shard = shard
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any, /) -> int:
        try:
            data = self._file.read(len(buffer))
        except Exception as error:
            raise InputError(f"{self._shard.name}: cannot be read: {error}") from None
        buffer[: len(data)] = data
        return len(data)


class _Pieces(io.RawIOBase):
    """Bytes that come in pieces, as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._left = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def _buffered(pieces: Iterator[bytes]) -> io.BufferedReader:
    return io.BufferedReader(_Pieces(pieces), 1 << 20)


def _unzstd(shard: Shard, file: BinaryIO) -> Iterator[bytes]:
    """Unpack the frames of a file; raises EOFError where the last is not whole.

    The library's own reader takes a file that was cut short for a whole one.
    """
    with needing("zst", f"{shard.name}: zstd"):
        from zstandard import ZstdDecompressor, ZstdError
    frame = None
    while data := file.read(PIECE):
        while data:
            frame = frame or ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(data)
            except ZstdError as error:
                raise InputError(f"{shard.name}: damaged zstd file: {error}") from None
            data = b""
            if frame.eof:
                data, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError


def _bounded(
    shard: Shard, pieces: Iterator[bytes], size: int, max_compression: int
) -> Iterator[bytes]:
    """Refuse a text that is far longer than its packed file, as the core does."""
    most, read = max(ALLOWED, max_compression * size), 0
    for piece in pieces:
        read += len(piece)
        if read > most:
            raise InputError(
                f"{shard.name}: a packed file of {size:,} bytes that holds more than "
                f"{max_compression:,} times as many; if that is right, raise --max-compression"
            )
        yield piece


def _records(shard: Shard, stream: BinaryIO) -> Iterator[bytes]:
    """Take the text out of each line of JSON."""
    for number, raw in enumerate(lines_of_stream(stream, Path(shard.name)), start=1):
        where = f"{shard.name}:{number}"
        if not raw.strip():
            yield b"\n"
            continue
        try:
            record = json.loads(raw.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: not a record in JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputError(f"{where}: found {_shown(record)}, expected a record: {{...}}")
        if shard.field not in record:
            raise InputError(f"{where}: {_no_field(shard.field, [*record])}")
        yield _line(record[shard.field], where, shard.field)


def _rows(shard: Shard, file: BinaryIO) -> Iterator[bytes]:
    """Read the text of each row of a table."""
    with needing("parquet", f"{shard.name}: parquet"):
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    number = 0
    try:
        table = ParquetFile(file)
        if shard.field not in table.schema_arrow.names:
            raise InputError(f"{shard.name}: {_no_field(shard.field, table.schema_arrow.names)}")
        for batch in table.iter_batches(ROWS, columns=[shard.field], use_threads=False):
            for value in batch.column(0).to_pylist():
                number += 1
                yield _line(value, f"{shard.name}:{number}", shard.field)
    except ArrowException as error:
        raise InputError(f"{shard.name}: damaged parquet file: {error}") from None


def _line(text: object, where: str, field: str) -> bytes:
    """Spell the text of a record on one line, so that lines are numbered as records are."""
    if not isinstance(text, str):
        raise InputError(f"{where}: the field {field!r} holds {_shown(text)}, expected a text")
    # A lone surrogate, which JSON can spell, is then refused as all that is not UTF-8.
    return text.replace("\n", " ").encode("utf-8", "surrogatepass") + b"\n"


def _no_field(field: str, known: list[str]) -> str:
    shown = ", ".join(known[:20]) + (", ..." if known[20:] else "")
    return f"no field {field!r}; there are: {shown}; name one with --field"


def _shown(value: object) -> str:
    return f"{json.dumps(value, default=str, ensure_ascii=False):.60}"
