"""Files of any kind as text of one line for each of their lines, records or rows.

Text, JSON records and tables are known by their names, packed or not; an address is read from where
it is. A file is a shard of a text, which may have thousands.
"""

import gzip
import io
import json
import os
import zlib
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from glob import glob, has_magic
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, BinaryIO, Literal

from tokbench.corpora.files import GZIP, Opener, check_size, lines_of_stream, open_text
from tokbench.errors import InputError, PluginError, UsageError

Kind = Literal["text", "jsonl", "parquet"]

PACKED = (".gz", ".zst")
KINDS: dict[str, Kind] = {
    ".json": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
"""The kinds of files by their names, without what says how they are packed; others are text."""

ZSTD = b"\x28\xb5\x2f\xfd"
PIECE = 1 << 10
"""Bytes that are unpacked at once: a block of zstd has at most 128 KB, and at least 4 bytes."""
ROWS = 256
"""The most rows of a table that are read at once."""
HELD = 1 << 24
"""Bytes that the rows of a table may have on average that are read at once."""


@dataclass(frozen=True)
class Shard:
    """One file of a text, and its number there.

    `name` is a path or an address. `field` holds the text in records.
    """

    number: int
    name: str
    kind: Kind
    field: str

    @property
    def is_remote(self) -> bool:
        """Whether the file has an address instead of a path."""
        return is_address(self.name)

    @property
    def path(self) -> PurePath:
        """The path, or the address in place of one."""
        return Address(self.name) if self.is_remote else Path(self.name)


class Address(PurePosixPath):
    """An address such as `s3://bucket/a.txt`, of whose two slashes a path would keep one."""

    def __str__(self) -> str:
        return super().__str__().replace(":/", "://", 1)


def shards_of(inputs: Sequence[str], field: str) -> list[Shard]:
    """Find the files that are named, those of each pattern by name.

    Raises InputError where there is no file, UsageError for a file that is named twice, which may
    be by a link or an address.
    """
    shards: dict[Hashable, Shard] = {}
    for given in inputs:
        for name in _files(given):
            file = _identity(name)
            if other := shards.get(file):
                twice = "is named twice, so its words would count twice"
                raise UsageError(f"{name}: {twice}: leave it out, or {other.name}")
            shards[file] = Shard(len(shards), name, _kind(name), field)
    return [*shards.values()]


def is_address(text: str) -> bool:
    """Return whether a text is an address, such as `s3://bucket/a.txt`, and no path."""
    return "://" in text


def _kind(name: str) -> Kind:
    path = Path(name)
    if path.suffix in PACKED:
        path = path.with_suffix("")
    return KINDS.get(path.suffix, "text")


def _files(given: str) -> Iterator[str]:
    """Find the files of a path, an address or a pattern."""
    return _addresses(given) if is_address(given) else _paths(given)


def _identity(name: str) -> Hashable:
    """Return what all names of a file share, those of its links too."""
    if is_address(name):
        return open_filesystem(name)[2]
    status = os.stat(name)
    return status.st_dev, status.st_ino


def _paths(given: str) -> Iterator[str]:
    """Find the files of a path or pattern, which no shell may have expanded."""
    names = [given]
    if has_magic(given) and not Path(given).exists():
        names = sorted(name for name in glob(given, recursive=True) if Path(name).is_file())
        if not names:
            raise InputError(f"{given}: no file has such a name")
    for name in names:
        path = Path(name)
        if path.is_dir():
            raise InputError(f"{name}: is a folder; give its files, as '{name}/*' does")
        if not path.exists():
            raise InputError(f"{name}: no such file")
        yield name


def _addresses(given: str) -> Iterator[str]:
    """Find the files of an address, which may be a pattern; one of this machine is a path."""
    system, path, full = open_filesystem(given)
    if full.startswith("file://"):
        yield from _paths(path)
        return
    if not has_magic(given):
        yield given
        return
    try:
        names = sorted(system.glob(path))
    except Exception as error:  # of any library that reads such addresses
        raise InputError(f"{given}: cannot be listed: {error}") from None
    if not names:
        raise InputError(f"{given}: no file has such a name")
    yield from map(system.unstrip_protocol, names)


def open_filesystem(address: str) -> tuple[Any, str, str]:
    """Return the file system of an address, the path there, and the address in its usual form."""
    with needing("remote", f"{address}: an address"):
        from fsspec.core import url_to_fs
    try:
        system, path = url_to_fs(address)
        return system, path, system.unstrip_protocol(path)
    except ImportError as error:  # each protocol has a package of its own
        raise PluginError(f"{address}: {error}") from None
    except Exception as error:  # of any library that reads such addresses
        raise UsageError(f"{address}: {error}") from None


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Raise PluginError where a package of an extra is missing."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'tokbench[{extra}]'"
        raise PluginError(f"{what} needs {error.name or error}: {install}") from None


def opener(shard: Shard) -> Opener:
    """Return what opens a shard as text of one line for each line or record of it.

    What it opens raises InputError, with the place, for what cannot be read.
    """

    @contextmanager
    def opened(_path: Path) -> Iterator[io.BufferedReader]:
        try:
            if shard.kind == "parquet":
                with _raw(shard) as file:
                    yield _buffered(_bounded(shard, _rows(shard, file)))
                return
            with _unpacked(shard) as stream:
                yield stream if shard.kind == "text" else _buffered(_records(shard, stream))
        except EOFError:
            raise InputError(f"{shard.name}: truncated: it ends in the middle") from None
        except (OSError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{shard.name}: cannot be read: {reason}") from None

    return opened


@contextmanager
def _unpacked(shard: Shard) -> Iterator[io.BufferedReader]:
    """Open the bytes of a shard, unpacked."""
    if not shard.is_remote and not shard.name.endswith(".zst"):
        with open_text(Path(shard.name)) as text:
            yield text
        return
    with _raw(shard) as file:
        begin = file.peek(len(ZSTD))
        if begin.startswith(ZSTD):
            pieces = _unzstd(shard, file)
        elif begin.startswith(GZIP):
            pieces = iter(partial(gzip.GzipFile(fileobj=file).read1, 1 << 16), b"")
        elif shard.name.endswith((".gz", ".zst")):
            kind = "gzip" if shard.name.endswith(".gz") else "zstd"
            raise InputError(f"{shard.name}: not a {kind} file, though its name says so")
        else:
            yield file
            return
        yield _buffered(_bounded(shard, pieces))


@contextmanager
def _raw(shard: Shard) -> Iterator[io.BufferedReader]:
    """Open a file as it is."""
    if not shard.is_remote:
        path = Path(shard.name)
        if not path.is_file():
            found = "is no file" if path.exists() else "no such file"
            raise InputError(f"{shard.name}: {found}")
        with path.open("rb") as file:
            yield file
        return
    system, path_there, _ = open_filesystem(shard.name)
    try:
        remote = system.open(path_there, "rb")
    except FileNotFoundError:
        raise InputError(f"{shard.name}: no such file") from None
    except Exception as error:  # of any library that reads such addresses
        raise InputError(f"{shard.name}: cannot be opened: {error}") from None
    with remote:
        yield io.BufferedReader(_Remote(shard, remote))


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


def _bounded(shard: Shard, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Refuse a text that no packed file holds, as of gzip files `open_text` does."""
    read = 0
    for piece in pieces:
        read += len(piece)
        check_size(read, shard.name)
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
        from pyarrow import ArrowException, DictionaryArray
        from pyarrow.parquet import ParquetFile
    number = 0
    try:
        table = ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
        _check_column(shard, table.schema_arrow)
        for group in range(table.num_row_groups):
            rows = _rows_at_once(table.metadata.row_group(group), shard.field)
            groups = {"row_groups": [group], "columns": [shard.field]}
            for batch in table.iter_batches(rows, use_threads=False, **groups):
                column = batch.column(0)
                if isinstance(column, DictionaryArray):
                    column = column.dictionary_decode()
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


def _rows_at_once(group: Any, field: str) -> int:
    """Return how many rows of a group may be read at once, by their average length."""
    columns = map(group.column, range(group.num_columns))
    size = sum(one.total_uncompressed_size for one in columns if one.path_in_schema == field)
    return int(max(1, min(ROWS, HELD * group.num_rows // max(1, size))))


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
