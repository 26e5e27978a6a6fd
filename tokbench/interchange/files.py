"""Reading the files of an import and writing those of an export."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tokbench.api import InputFile
from tokbench.errors import InputError, UsageError
from tokbench.interchange.exchange import SourceFile


def read_file(path: Path) -> SourceFile:
    """Read a file; raises InputError where that cannot be done."""
    return SourceFile(str(path), InputFile(str(path), path).read_bytes())


def check_absent(path: Path) -> None:
    """Raise UsageError for a file that would be written over."""
    if path.is_dir():
        raise UsageError(f"{path}: a folder, expected the name of a file")
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path}: is there already: choose another name, nothing was touched")


def write_files(files: Mapping[Path, str]) -> None:
    """Write all files or none, each by an atomic rename; folders are made where needed.

    Raises UsageError for a file that is there already, InputError where nothing can be written.
    """
    for path in files:
        check_absent(path)
    temporary: dict[Path, Path] = {}
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".tokbench-")
            temporary[path] = Path(name)
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            Path(name).chmod(0o644)
        for path, written in temporary.items():
            written.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        for written in temporary.values():
            written.unlink(missing_ok=True)
