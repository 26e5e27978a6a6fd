"""One writer a folder: the lock beside it, and what a killed process left there."""

import glob
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from tokbench.errors import InputError
from tokbench.printing import printable
from tokbench.run_folder import disk
from tokbench.run_folder.disk import PREFIX
from tokbench.run_folder.layout import RECORD

WAIT_SECONDS = 0.5
"""How long to wait for a lock: another command may only be looking at the folder."""


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn errors of the system into an InputError that says that a folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def beside(folder: Path, what: str) -> Path:
    """Return the name of what belongs to a folder: its `lock`, its `new-` or `old-` run."""
    # Beside it, since the folder itself is renamed; a loop of links does not stop `realpath`.
    folder = Path(os.path.realpath(folder))
    return folder.parent / f"{PREFIX}{folder.name}.{what}"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a folder, then put back or remove what a killed process left, and log it.

    Raises InputError if another process holds the lock, or nothing can be written.
    """
    path = beside(folder, "lock")
    lock = FileLock(path, timeout=WAIT_SECONDS)
    with writing(folder):
        # Where no file can be made, the lock would wait for a process that is not there.
        path.touch()
        try:
            lock.acquire()
        except Timeout:
            what = "is being written by another process: wait until it has ended, or name another"
            raise InputError(f"{folder}: {what} folder") from None
    try:
        with writing(folder):
            _restore(folder)
        yield
    finally:
        with suppress(OSError):
            path.unlink()  # before it is released, so that nobody loses a lock of their own
        lock.release()


def settle(folder: Path) -> None:
    """Put the older run back if a killed process had renamed it, and no new one came.

    Raises InputError while another process writes the folder.
    """
    if not os.path.lexists(folder) and _left(folder, "old-"):
        with locked(folder):
            pass


def _restore(folder: Path) -> None:
    """Put an older run back where the new one never came, and remove what else is left."""
    for old in _left(folder, "old-"):
        if not os.path.lexists(folder):
            os.rename(old, folder)
            disk.sync(old.parent)
            _log(folder, "put back the older run, as the process that replaced it had ended")
        elif (folder / RECORD).exists():  # only a whole new run makes the older one dispensable
            shutil.rmtree(old, ignore_errors=True)
    for new in _left(folder, "new-"):
        shutil.rmtree(new) if new.is_dir() else new.unlink()
        _log(folder, f"removed {new.name} of a process that has ended")


def _log(folder: Path, what: str) -> None:
    logging.getLogger("tokbench").warning("note: %s", printable(f"{folder}: {what}"))


def _left(folder: Path, what: str) -> list[Path]:
    """Return what a killed process left beside a folder: its `new-` or `old-` runs."""
    beginning = beside(folder, what)
    return sorted(beginning.parent.glob(f"{glob.escape(beginning.name)}*"))
