"""Write files and folders so that they are whole or absent, whatever ends the process."""

import errno
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)
"""What some file systems answer where a folder is to be synced."""
NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)
"""The errors of file systems without hard links."""

PREFIX = ".tokbench-"


def temporary(folder: Path, name: str = "") -> Path:
    """Return a new name in a folder, which nobody can foresee."""
    return folder / f"{PREFIX}{name}{secrets.token_hex(8)}"


def sync(path: Path) -> None:
    """Wait until a file is on the disk, or the names in a folder: only then do they count."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in NO_SYNC or not path.is_dir():
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
        os.link(written, path)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        os.rename(written, path)
    else:
        written.unlink()
