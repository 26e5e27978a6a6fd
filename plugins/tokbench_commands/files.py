"""Files that commands read and write: whole, or not at all."""

import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
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
    """Write all files or none, each whole; folders are made where needed.

    A file that is there already with this very text is left, as a killed process leaves the first
    of several. Raises UsageError for any other file that is there, InputError where nothing can be
    written.
    """
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.commands.texts import make_folder, put, sync, temporary, write

    data = {path: text for path, text in files.items() if not _holds(path, text)}
    for path in data:
        check_absent(path)
    written = {path: temporary(path.parent) for path in data}
    done: list[Path] = []
    try:
        for path, new in written.items():
            make_folder(path.parent)
            write(new, data[path])
        for path, new in written.items():
            put(new, path)
            done.append(path)
        for folder in {path.parent for path in data}:
            sync(folder)
    except OSError as error:
        for finished in done:
            finished.unlink(missing_ok=True)
        where = next((path for path in data if path not in done), Path())
        raise InputError(f"{where}: cannot be written: {error.strerror or error}") from None
    finally:
        for new in written.values():
            with suppress(OSError):
                new.unlink(missing_ok=True)


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write a folder with files, whole or not at all; raises as `write_files` does."""
    from tokbench.commands.texts import sync_tree, temporary, write

    new = temporary(folder.parent)
    try:
        for name, text in files.items():
            (new / name).parent.mkdir(parents=True, exist_ok=True)
            write(new / name, text)
        sync_tree(new)
        check_absent(folder)
        new.rename(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _holds(path: Path, text: str | Iterable[bytes]) -> bool:
    is_file = path.is_file() and not path.is_symlink()
    return is_file and isinstance(text, str) and path.read_bytes() == text.encode()
