"""Reading files, our own vocabularies among them, and writing those of an export."""

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tokbench import plugins
from tokbench.api import InputFile, Recognised, SourceFile, Vocabulary
from tokbench.errors import InputError, UsageError
from tokbench.interchange.formats import OURS, build_format, looks_like, read_files, recognise
from tokbench.plugins import Registry

WORD_SPLITS = "word-splits"
"""The one format that is read wherever a vocabulary of ours is."""


def read_file(path: Path) -> SourceFile:
    """Read a file; raises InputError where that cannot be done."""
    return SourceFile(str(path), InputFile(str(path), path).read_bytes())


def check_absent(path: Path) -> None:
    """Raise UsageError for a file that would be written over."""
    if path.is_dir():
        raise UsageError(f"{path}: a folder, expected the name of a file")
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path}: is there already: choose another name, nothing was touched")


def write_files(files: Mapping[Path, str | Iterable[bytes]]) -> None:
    """Write all files or none, each by an atomic rename; folders are made where needed.

    A file that is there already with this very text is left, as a killed process leaves the first
    of several. Raises UsageError for any other file that is there, InputError where nothing can be
    written.
    """
    data = {path: text for path, text in files.items() if not _holds(path, text)}
    for path in data:
        check_absent(path)
    done: list[Path] = []
    with ExitStack() as begun:
        try:
            temporary = {path: begun.enter_context(_beside(path, data[path])) for path in data}
            for path, written in temporary.items():
                written.replace(path)
                done.append(path)
        except OSError as error:
            for finished in done:
                finished.unlink(missing_ok=True)
            where = next((path for path in data if not path.exists()), Path())
            raise InputError(f"{where}: cannot be written: {error.strerror or error}") from None


def _holds(path: Path, text: str | Iterable[bytes]) -> bool:
    is_file = path.is_file() and not path.is_symlink()
    return is_file and isinstance(text, str) and path.read_bytes() == text.encode()


@contextmanager
def _beside(path: Path, text: str | Iterable[bytes]) -> Iterator[Path]:
    """Write a file beside `path` that no other process writes; it is gone at the end.

    One that a killed process left is used again.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(os.fsencode(path.name)).hexdigest()
    begun = path.with_name(f".tokbench-{digest[:16]}")
    with open(os.open(begun, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644), "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(os.fstat(file.fileno()), begun.lstat()):
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        try:
            file.truncate()
            file.writelines([text.encode()] if isinstance(text, str) else text)
            file.flush()
            os.fsync(file.fileno())
            os.fchmod(file.fileno(), 0o644)
            yield begun
        finally:
            begun.unlink(missing_ok=True)


def read_own(source: SourceFile, registry: Registry | None = None) -> Vocabulary:
    """Read a vocabulary in JSON or as word splits.

    Raises InputError for anything else, with what it looks like to the formats of the registry, or
    of the installed plugins.
    """
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = f"not UTF-8 at byte {error.start}"
        look = recognise(source.data, registry or plugins.load(lazy=True))
        raise InputError(f"{source.where}: {at}: not a vocabulary{_looks_like(look)}") from None
    if not text.strip():
        raise InputError(f"{source.where}: the file is empty")
    try:
        return Vocabulary.from_json(text, source.where)
    except RecursionError:
        raise InputError(f"{source.where}: nested too deeply: not a vocabulary") from None
    except ValueError as error:
        # A number of more digits than Python reads, or a token that stands twice.
        raise InputError(f"{source.where}: {error}") from None
    except InputError as error:
        registry = registry or plugins.load(lazy=True)
        look = recognise(source.data, registry)
        if look is not None and WORD_SPLITS in look.formats:
            form = build_format(registry, WORD_SPLITS)
            return read_files(form, WORD_SPLITS, [source]).vocabulary
        raise InputError(f"{error}{_looks_like(look)}") from None


def _looks_like(look: Recognised | None) -> str:
    return "" if look is None or look is OURS else f"; {looks_like(look)}"
