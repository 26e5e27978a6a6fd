"""Reading files, our own vocabularies among them, and writing those of an export."""

import os
import tempfile
from collections.abc import Iterable, Mapping
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
            with os.fdopen(handle, "wb") as file:
                file.writelines([text.encode()] if isinstance(text, str) else text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(0o644)
        for path, written in temporary.items():
            written.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        for written in temporary.values():
            written.unlink(missing_ok=True)


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
