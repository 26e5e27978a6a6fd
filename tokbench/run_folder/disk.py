"""Write files and folders so that they are whole or absent, whatever ends the process."""

import errno
import os
import secrets
import sys
from collections.abc import Iterable
from pathlib import Path

PREFIX = ".tokbench-"


def temporary(folder: Path, name: str = "") -> Path:
    """Return a name in a folder that no other file has."""
    return folder / f"{PREFIX}{name}{secrets.token_hex(8)}"


def sync(path: Path) -> None:
    """Wait until a file, or the list of names in a folder, is on the disk; not on Windows."""
    if sys.platform == "win32":
        return  # it opens no folder, and syncs only what is open for writing
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:
        if not path.is_dir():  # some file systems sync no folders
            raise
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it where they are missing, and sync their names."""
    for path in [path for path in (folder, *folder.parents) if not path.is_dir()][::-1]:
        path.mkdir(exist_ok=True)
        sync(path.parent)


def sync_tree(folder: Path) -> None:
    """Sync a folder and all that is below it."""
    for path in (*folder.rglob("*"), folder):
        sync(path)


def write(path: Path, text: str | Iterable[bytes]) -> None:
    """Write a file that is not there yet, and sync it."""
    with path.open("xb") as file:
        encoded = [text.encode("utf-8", "surrogatepass")] if isinstance(text, str) else text
        file.writelines(encoded)
        file.flush()
        os.fsync(file.fileno())


def put(written: Path, path: Path) -> None:
    """Rename a written file; raises FileExistsError if the new name is taken."""
    try:
        os.link(written, path)  # unlike a rename, it never replaces a file
    except FileExistsError:
        raise
    except OSError:  # some file systems have no hard links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(written, path)
    else:
        written.unlink()
