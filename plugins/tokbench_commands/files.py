"""Files that commands read and write: whole, or not at all."""

import errno
import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tokbench.api import InputError, InputFile, SourceFile, UsageError


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
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.commands.texts import make_folder, sync

    data = {path: text for path, text in files.items() if not _holds(path, text)}
    for path in data:
        check_absent(path)
    done: list[Path] = []
    with ExitStack() as begun:
        try:
            for path in data:
                make_folder(path.parent)
            temporary = {path: begun.enter_context(_beside(path, data[path])) for path in data}
            for path, written in temporary.items():
                written.replace(path)
                done.append(path)
            for folder in {path.parent for path in data}:
                sync(folder)
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
