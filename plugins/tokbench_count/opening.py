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
"""The most rows of a table that are read at once."""
HELD = 1 << 24
"""Bytes that the rows of a table may have that are read at once, unless it is one row."""
LONGEST_ROW = 10_000_000
"""The most bytes of a row of a table, as of a line of JSON: it is needed whole."""
TOO_LONG = f"a text of more than {LONGEST_ROW:,} bytes in one row, which is needed whole: split it"


def opener(shard: Shard) -> Opener:
    """Return what opens a shard as text of one line for each line or record of it.

    What it opens raises InputError, with the place, for what cannot be read.
    """

    @contextmanager
    def opened(path: Path, max_compression: int) -> Iterator[io.BufferedReader]:
        try:
            if shard.kind == "parquet":
                with _raw(shard) as (file, size):
                    rows = _rows(shard, file, size, max_compression)
                    yield _buffered(_bounded(shard, rows, size, max_compression))
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
    system, path_there, _ = open_filesystem(shard.place)
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
    read = 0
    for piece in pieces:
        read += len(piece)
        _check_ratio(shard, read, size, max_compression)
        yield piece


def _check_ratio(shard: Shard, unpacked: int, size: int, max_compression: int) -> None:
    if unpacked > max(ALLOWED, max_compression * size):
        raise InputError(
            f"{shard.name}: a packed file of {size:,} bytes that holds more than "
            f"{max_compression:,} times as many; if that is right, raise --max-compression"
        )


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


def _rows(shard: Shard, file: BinaryIO, size: int, max_compression: int) -> Iterator[bytes]:
    """Read the text of each row of a table."""
    with needing("parquet", f"{shard.name}: parquet"):
        from pyarrow import ArrowException, DictionaryArray
        from pyarrow.compute import binary_length
        from pyarrow.parquet import ParquetFile
    number = 0
    try:
        table = ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
        _check_column(shard, table.schema_arrow)
        for group, rows in enumerate(_rows_at_once(shard, table.metadata, size, max_compression)):
            groups = {"row_groups": [group], "columns": [shard.field]}
            for batch in table.iter_batches(rows, use_threads=False, **groups):
                column = batch.column(0)
                if isinstance(column, DictionaryArray):
                    column = column.dictionary_decode()
                if column.nbytes > LONGEST_ROW:
                    lengths = binary_length(column).fill_null(0).to_pylist()
                    if long := [row for row, length in enumerate(lengths) if length > LONGEST_ROW]:
                        raise InputError(f"{shard.name}:{number + 1 + long[0]}: {TOO_LONG}")
                for value in column:
                    number += 1
                    place = f"{shard.name}:{number}"
                    try:
                        cell = value.as_py()
                    except UnicodeDecodeError as error:
                        what = f"the column {shard.field} is no valid UTF-8: {error.reason}"
                        raise InputError(f"{place}: {what}") from None
                    yield _line(cell, place, shard.field)
    except ArrowException as error:
        if isinstance(error, MemoryError):
            raise
        raise InputError(f"{shard.name}: damaged parquet file: {error}") from None


def _check_column(shard: Shard, schema: Any) -> None:
    """Raise InputError unless a table has a column of text of this name."""
    from pyarrow import types

    if shard.field not in schema.names:
        raise InputError(f"{shard.name}: {_no_field(shard.field, schema.names)}")
    found = schema.types[schema.names.index(shard.field)]
    plain = found.value_type if types.is_dictionary(found) else found
    if not any(known(plain) for known in (types.is_string, types.is_large_string)):
        what = f"holds {found!s:.60}, expected a text"
        raise InputError(f"{shard.name}: the field {shard.field!r} {what}")


def _rows_at_once(shard: Shard, metadata: Any, size: int, max_compression: int) -> list[int]:
    """Return how many rows may be read at once, for each group of rows.

    A text that many rows share is stored once, so that each row may be as long as its whole group.
    """
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    unpacked = []
    for group in groups:
        columns = map(group.column, range(group.num_columns))
        sizes = [
            one.total_uncompressed_size for one in columns if one.path_in_schema == shard.field
        ]
        unpacked.append(sum(sizes))
        # The statistics of a group may hold its longest text several times.
        if unpacked[-1] > 4 * LONGEST_ROW * max(1, group.num_rows):
            raise InputError(f"{shard.name}: {TOO_LONG}")
    _check_ratio(shard, sum(unpacked), size, max_compression)
    return [max(1, min(ROWS, HELD // max(1, one))) for one in unpacked]


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
