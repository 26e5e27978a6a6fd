"""The files that a config names: looked for before anything is learned, and not yet read."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from tokbench.config.parts import Parts
from tokbench.config.problems import Where
from tokbench.errors import InputError


def check_files(parts: Parts, where: Where) -> None:
    """Note every file of a corpus that isn't there or can't be read."""
    for at, path in _paths(parts, where):
        fault = _fault(parts.document.path.parent / path)
        if fault:
            parts.problem(at, fault, error=InputError)


def portable(path: Path) -> str:
    """Write a path as a config does, but of an absolute one only the name: results may travel."""
    return path.name if path.is_absolute() else path.as_posix()


def _paths(parts: Parts, where: Where) -> Iterator[tuple[Where, str]]:
    """Give the paths of a corpus as they are written, whatever else is wrong with it."""
    value = parts.get(where)
    if isinstance(value, dict):
        where = (*where, "path")
        value = value.get("path")
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, list):
        yield from (((*where, i), path) for i, path in enumerate(value) if isinstance(path, str))


def _fault(path: Path) -> str | None:
    shown = os.path.normpath(path)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no file {shown}"
    except (OSError, ValueError) as error:
        return f"the file {shown} cannot be read: {error}"
    if stat.S_ISDIR(mode):
        return f"{shown} is a folder, expected a file"
    return None if os.access(path, os.R_OK) else f"the file {shown} cannot be read"
