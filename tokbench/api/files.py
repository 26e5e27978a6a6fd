"""Files that options name: where they are looked for, and that they do not change."""

import gzip
import hashlib
import io
import os
import re
import stat
import zlib
from bz2 import BZ2File
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from lzma import LZMAError, LZMAFile
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tokbench.api.wrong_files import HEAD, PACKED, not_text, not_utf8
from tokbench.errors import InputError, PluginError

MODELS_VARIABLE = "TOKBENCH_MODELS"
"""The environment variable that names a folder to look in where a relative path leads nowhere."""

DIGITS = 6
GZIP = b"\x1f\x8b"
_BUFFER = 1 << 20
_PIECE = 1 << 10
"""Bytes that are unpacked at once: a block of zstd has at most 128 KB, and at least 4 bytes."""
TOKENIZERS = (
    "tokenizer.json",
    "tokenizer.model",
    "spiece.model",
    "sentencepiece.bpe.model",
    "vocab.txt",
)
"""The files of a model's folder that are a tokenizer each, the most complete first."""

_OPENERS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda file: gzip.GzipFile(fileobj=file),
    ".bz2": BZ2File,
    ".xz": LZMAFile,
}

_OPEN = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def cache_folder(kind: str) -> Path | None:
    """Return the folder where downloads of a kind are kept: tokbench/KIND in the user's cache.

    Whoever has no home folder, such as a user of a container, has none.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        # The XDG standard says that a relative path is to be ignored.
        return (cache if cache.is_absolute() else Path.home() / ".cache") / "tokbench" / kind
    except RuntimeError:
        return None


def models_folders() -> list[Path]:
    """Return the folders of models: $TOKBENCH_MODELS where it is set, then the user's cache."""
    own = os.environ.get(MODELS_VARIABLE)
    cache = cache_folder("models")
    return [*([Path(own)] if own else []), *([cache] if cache and cache.is_dir() else [])]


def no_file(path: Path) -> str | None:
    """Return `a device`, `a named pipe` or `a socket` if a path leads to one, else None.

    Reading one may never end. But a pipe that is already open, such as `/dev/stdin` or a shell's
    `<(command)`, is read as a file. Raises OSError if there is nothing at the path.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if stat.S_ISFIFO(mode):
        return None if str(path).startswith(_OPEN) else "a named pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def check_is_file(path: Path) -> None:
    """Raise InputError for a device, a named pipe or a socket; OSError if there is nothing."""
    if kind := no_file(path):
        raise InputError(f"{path}: is {kind}; give a file")


def tokenizer_in(folder: Path) -> str:
    """Say what to give of the folder of a model, as Hugging Face has them; "" of any other."""
    for name in TOKENIZERS:
        if (folder / name).is_file():
            return f": a tokenizer is there, give {folder / name}"
    if all((folder / name).is_file() for name in ("vocab.json", "merges.txt")):
        return f": a tokenizer is there, `tokbench import {folder} --from gpt2` reads it"
    if any((folder / name).is_file() for name in ("tokenizer_config.json", "config.json")):
        return ": a model without a tokenizer.json, which `save_pretrained` of its tokenizer writes"
    return ""


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Raise PluginError where a package of an extra is missing."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'tokbench[{extra}]'"
        raise PluginError(f"{what} needs {error.name or error}: {install}") from None


class _Pieces(io.RawIOBase):
    """Bytes that come in pieces, as a file."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
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


def buffered(pieces: Iterable[bytes]) -> io.BufferedReader:
    """Return bytes that come in pieces as a file."""
    return io.BufferedReader(_Pieces(pieces), _BUFFER)


def _zstd(file: BinaryIO, path: Path) -> Iterator[bytes]:
    """Unpack the frames of a file; raises EOFError where the last is not whole.

    The library's own reader takes a file that was cut short for a whole one.
    """
    with needing("zst", f"{path}: zstd"):
        from zstandard import ZstdDecompressor, ZstdError
    frame = None
    while data := file.read(_PIECE):
        while data:
            frame = frame or ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(data)
            except ZstdError as error:
                raise zlib.error(str(error)) from None
            data = b""
            if frame.eof:
                data, frame = frame.unused_data, None
    if frame is not None:
        raise EOFError


@contextmanager
def unpacked(
    path: Path, file: io.BufferedReader, strict: bool = False
) -> Iterator[io.BufferedReader]:
    """Unpack an open file where it begins as a packed one; else it stays as it is.

    Raises InputError, naming the path, for a damaged one, and for a plain one whose name says that
    it is packed; where `strict`, also for a packed one whose name does not.
    """
    head, suffix = file.peek(16)[:16], path.suffix.lower()
    begun = next((end for end, (_, begin, _) in PACKED.items() if re.match(begin, head)), None)
    if suffix in PACKED and suffix != begun:
        what = f"not {PACKED[suffix][0]}, though its name ends in {suffix}"
        raise InputError(f"{path}: {what}")
    if begun is None:
        yield file
        return
    kind = PACKED[begun][0]
    if strict and suffix not in (begun, ""):
        what = f"begins as {kind}, but its name does not end in {begun}"
        raise InputError(f"{path}: {what}: rename it, or unpack it")
    kind = kind.split(" ", 1)[1]
    try:
        if begun == ".zst":
            yield buffered(_zstd(file, path))
        else:
            # A library's file alone finds line ends slowly; the buffer around it makes that fast.
            yield io.BufferedReader(_OPENERS[begun](file), _BUFFER)
    except EOFError:
        raise InputError(f"{path}: truncated {kind}: it ends in the middle") from None
    except (OSError, zlib.error, LZMAError) as error:
        if getattr(error, "errno", None) is not None:  # an error of the system
            raise
        raise InputError(f"{path}: damaged {kind}: {error}") from None


def is_address(text: str) -> bool:
    """Return whether a text is an address, such as `s3://bucket/a.txt`, and no path."""
    return "://" in text


def not_an_address(path: str) -> str:
    """Return a path as it is; raise ValueError for an address, of which only files are read here.

    Called before the text becomes a `Path`, which keeps one of two slashes.
    """
    if is_address(path):
        web = path.startswith(("http", "ftp"))
        how = f", as `curl -L -O {path}` does," if web else ""
        raise ValueError(
            f"{path}: an address, which is not read here: download the file first{how} and give "
            "its path"
        )
    return path


def changed(path: Path, before: str, now: str) -> InputError:
    """Return the error of a file whose content is not what was read before."""
    digests = f"SHA-256 {before[:DIGITS]} then, {now[:DIGITS]} now"
    return InputError(f"{path}: changed after it was first read ({digests}): run again")


@dataclass(frozen=True)
class InputFile:
    """A file that an option names: the path as it is `written`, and the `path` where it was found.

    A relative path is looked for from the folder of the config file (or the current folder), then
    from the folder that `$TOKBENCH_MODELS` names, then from the cache of `tokbench models get`. The
    content must not change after the first read.
    """

    written: str = field(compare=False)
    path: Path

    @classmethod
    def find(cls, written: str, folder: Path) -> "InputFile":
        """Look for a file; raise ValueError if there is none."""
        folders = [folder, *models_folders()]
        nearest = folder / written
        try:
            for place in folders:
                if (path := place / written).is_file():
                    return cls(written, path)
            if nearest.is_dir():
                raise ValueError(f"{nearest}: a folder, expected a file{tokenizer_in(nearest)}")
            kind = nearest.exists() and no_file(nearest)
        except OSError as error:
            raise ValueError(f"{written:.60}: cannot be looked for: {error.strerror}") from None
        if kind:
            raise ValueError(f"{nearest}: {kind}, expected a file")
        looked = " or ".join(str(place / written) for place in folders)
        is_found_anyway = os.environ.get(MODELS_VARIABLE) or Path(written).is_absolute()
        hint = "" if is_found_anyway else f" (${MODELS_VARIABLE} is not set)"
        raise ValueError(f"{looked}: no such file{hint}") from FileNotFoundError()

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the content when it was first read, in hexadecimal digits."""
        return hashlib.sha256(self._read()).hexdigest()

    def read_bytes(self) -> bytes:
        """Read the content, gunzipped where it is gzipped.

        Raises InputError if that fails, or if the content has changed.
        """
        content = self._read()
        now = hashlib.sha256(content).hexdigest()
        before = vars(self).setdefault("digest", now)  # a pipe can be read only once
        if now != before:
            raise changed(self.path, before, now)
        return content

    def read_text(self) -> str:
        """Read the content as UTF-8, without a byte order mark.

        Raises InputError for what `read_bytes` refuses, and for what is no text.
        """
        data = self.read_bytes()
        if wrong := not_text(data[:HEAD]):
            raise InputError(f"{self.path}: {wrong}")
        try:
            return data.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            number, begin = data.count(b"\n", 0, error.start), data.rfind(b"\n", 0, error.start) + 1
            line = data[begin:].split(b"\n", 1)[0]
            what = not_utf8(line, error.start - begin, error.start)
            raise InputError(f"{self.path}:{number + 1}: {what}") from None

    def _read(self) -> bytes:
        try:
            if self.path.is_dir():
                raise InputError(f"{self.path}: a folder, expected a file{tokenizer_in(self.path)}")
            check_is_file(self.path)
            with self.path.open("rb") as file, unpacked(self.path, file) as content:
                return content.read()
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from None

    def __repr__(self) -> str:
        return f"InputFile({self.written!r})"

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda file: file.path.name, return_schema=core_schema.str_schema()
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"type": "string", "format": "path"}

    @classmethod
    def _validated(cls, value: object, info: ValidationInfo) -> "InputFile":
        if isinstance(value, InputFile):
            return value
        if not isinstance(value, str | Path) or not str(value):
            raise ValueError("expected the path of a file")
        folder = (info.context or {}).get("folder") or Path()
        return cls.find(not_an_address(str(value)), folder)
