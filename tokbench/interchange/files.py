"""Reading files, our own vocabularies among them, and writing those of an export."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tokbench.api import InputFile, Vocabulary
from tokbench.errors import InputError, UsageError
from tokbench.interchange.detect_format import detect_format
from tokbench.interchange.exchange import SourceFile
from tokbench.interchange.word_splits import is_word_splits, read_word_splits


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


def read_own(source: SourceFile) -> Vocabulary:
    """Read a vocabulary; raises InputError for anything else, saying what it looks like."""
    try:
        text = source.data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = f"not UTF-8 at byte {error.start}"
        raise InputError(f"{source.where}: {at}: not a vocabulary{_looks_like(source)}") from None
    if not text.strip():
        raise InputError(f"{source.where}: the file is empty")
    try:
        if is_word_splits(text):
            return read_word_splits(text, source.where)
        return Vocabulary.from_json(text, source.where)
    except RecursionError:
        raise InputError(f"{source.where}: nested too deeply: not a vocabulary") from None
    except ValueError as error:
        # A number of more digits than Python reads, or a token that stands twice.
        raise InputError(f"{source.where}: {error}") from None
    except InputError as error:
        raise InputError(f"{error}{_looks_like(source)}") from None


def _looks_like(source: SourceFile) -> str:
    look = detect_format(source.data)
    return f"; this looks like {look.what}: {look.hint}" if look and look.foreign else ""
