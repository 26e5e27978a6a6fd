"""Find the files of a text, and open them unpacked, also from an address.

The name of a file tells its kind and how it is packed, and its first bytes must agree.
"""

import hashlib
import io
import os
import sys
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from glob import escape, glob, has_magic
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

from tokbench.api.files import (
    buffered,
    check_is_file,
    is_address,
    needing,
    tokenizer_in,
    unpacked,
)
from tokbench.api.wrong_files import PACKED, no_text_by_name
from tokbench.corpora.files import STDIN, whole_lines
from tokbench.errors import InputError, PluginError, TokbenchError, UsageError

Kind = Literal["text", "jsonl", "json", "csv", "tsv", "parquet", "conllu"]

KINDS: dict[str, Kind] = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".conllu": "conllu",
}
"""The kinds of files by their names, without what says how they are packed; others are text."""
BUFFER = 1 << 20


class Address(PurePosixPath):
    """An address such as `s3://bucket/a.txt` in place of a path, which would keep one slash."""

    text: str

    @classmethod
    def of(cls, name: str) -> Path:
        """Return the path that a name is, or the address in place of one."""
        if not is_address(name):
            return Path(name)
        address = cls(name)
        address.text = name
        return cast(Path, address)

    def __str__(self) -> str:
        return self.text


def shards_of(inputs: Sequence[str]) -> list[str]:
    """Find the files that are named, those of each pattern and folder by name.

    Raises InputError where there is no file, UsageError for a file that is named twice, which may
    be by a link or an address.
    """
    shards: dict[Hashable, str] = {}
    for text in inputs:
        for name in _addresses(text) if is_address(text) else map(str, files_of(Path(text))):
            file = _identity(name)
            if other := shards.get(file):
                twice = "is named twice, so its words would count twice"
                raise UsageError(f"{name}: {twice}: leave it out, or {other}")
            shards[file] = name
    return [*shards.values()]


def _identity(name: str) -> Hashable:
    """Return what all names of a file share, those of its links too."""
    if is_address(name):
        return open_filesystem(name)[2]
    try:
        status = os.stat(name)
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        raise InputError(f"{name}: {'no such file' if missing else error.strerror}") from None
    return status.st_dev, status.st_ino


def files_of(path: Path) -> list[Path]:
    """Find the files of a path, folder or pattern, by name; hidden ones of a folder are left out.

    Raises InputError if there are no files, or if a folder holds folders or a model.
    """
    if isinstance(path, Address) or path == STDIN:
        return [path]
    name = str(path)
    is_folder = os.path.isdir(name)
    if not is_folder and (not has_magic(name) or os.path.exists(name)):
        return [path]
    pattern = f"{escape(name)}/*" if is_folder else name
    paths = [*map(Path, sorted(glob(pattern, recursive=True)))]
    if is_folder and (inner := next((path for path in paths if path.is_dir()), None)):
        what = f"a folder with a folder in it, {inner.name}"
        how = f"give a pattern, such as '{name}/*.txt', or '{name}/**/*.txt' for all folders"
        raise InputError(f"{name}: {what}: {how}")
    files = [path for path in paths if path.is_file()]
    has_json = any(file.suffix == ".json" for file in files)
    if is_folder and has_json and (model := tokenizer_in(path)):
        raise InputError(f"{name}: not a folder of texts{model}")
    if not files:
        what = "the folder has no files" if is_folder else "no file has such a name"
        raise InputError(f"{name}: {what}")
    return files


def _addresses(text: str) -> list[str]:
    """Find the files of an address, which may be a pattern; one of this machine is a path."""
    system, path, full = open_filesystem(text)
    if full.startswith("file://"):
        return [*map(str, files_of(Path(path)))]
    if not has_magic(text):
        return [text]
    try:
        names = sorted(system.glob(path))
    except Exception as error:  # of any library that reads such addresses
        raise InputError(f"{text}: cannot be listed: {error}") from None
    if not names:
        raise InputError(f"{text}: no file has such a name")
    return [*map(system.unstrip_protocol, names)]


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


def kind_of(path: Path) -> Kind:
    """Return the kind of a file, by its name; raises InputError for a name that no text has."""
    suffix = path.suffix.lower()
    if suffix in PACKED:
        suffix = path.with_suffix("").suffix.lower()
    if wrong := no_text_by_name(suffix):
        raise InputError(f"{path}: {wrong}")
    return KINDS.get(suffix, "text")


@contextmanager
def open_text(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading its bytes, unpacked.

    Raises InputError, naming the file, if it cannot be opened or read to its end.
    """
    with open_raw(path) as file:
        if path == STDIN:
            yield file
            return
        if isinstance(path, Address):  # some libraries' files can only be read
            file = buffered(iter(partial(file.read, BUFFER), b""))
        with unpacked(path, file, strict=not isinstance(path, Address)) as text:
            yield text


@contextmanager
def open_raw(path: Path) -> Iterator[Any]:
    """Open a file as it is; raises InputError, naming it, for what goes wrong before it closes."""
    # A library that reads addresses has errors of its own.
    failures = Exception if isinstance(path, Address) else OSError
    try:
        if path == STDIN:
            yield sys.stdin.buffer
        elif isinstance(path, Address):
            system, there, _ = open_filesystem(str(path))
            with system.open(there, "rb") as file:
                yield file
        else:
            check_is_file(path)
            with path.open("rb") as file:
                yield file
    except TokbenchError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: is a folder; give a file, or a list of files") from None
    except failures as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: cannot be read: {reason}") from None


def raw_lines(path: Path, may_be_counts: bool = False) -> Iterator[bytes]:
    r"""Read a file's lines as bytes, each with its line end; lines end at `\n` only."""
    with open_text(path) as stream:
        for _, lines in whole_lines(stream, path, may_be_counts=may_be_counts):
            yield from io.BytesIO(lines)


def text_digest(path: Path) -> str:
    """Compute the SHA-256 (hexadecimal) of a file's text as bytes, unpacked."""
    with open_text(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
