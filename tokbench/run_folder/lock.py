"""One writer a folder: the lock beside it, and what a killed process left there."""

import glob
import hashlib
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
from tokbench.run_folder.seal import RECORD

LONGEST_NAME = 200
"""Bytes of a folder's name that fit into names beside it; else its digest stands there."""
WAIT_SECONDS = 0.5
"""How long a lock is waited for: another command may only be looking at the folder."""


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raise InputError where a folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def beside(folder: Path, what: str) -> Path:
    """Return the name of what belongs to a folder: its `lock`, its `new-` or `old-` run."""
    folder = Path(os.path.realpath(folder))
    name = os.fsencode(folder.name)
    short = folder.name if len(name) <= LONGEST_NAME else f"-{hashlib.sha256(name).hexdigest()}"
    return folder.with_name(f"{PREFIX}{short}.{what}")


@contextmanager
def locked(folder: Path) -> Iterator[list[str]]:
    """Hold the lock of a folder, after restoring what a killed process left; return what was done.

    Raises InputError where another process has the lock, or nothing can be written.
    """
    path = beside(folder, "lock")
    lock = FileLock(path, timeout=WAIT_SECONDS)
    with writing(folder):
        # Where no file can be made, the lock would wait for a process that is not there.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o644))
        try:
            lock.acquire()
        except Timeout:
            what = "is being written by another process: wait until it has ended, or name another"
            raise InputError(f"{folder}: {what} folder") from None
    try:
        with writing(folder):
            notes = [*_restored(folder)]
        yield notes
    finally:
        with suppress(OSError):
            path.unlink()  # before it is released, so that nobody loses a lock of their own
        lock.release()


def settle(folder: Path) -> None:
    """Where a folder is missing, put the older run back that a killed process had renamed.

    What was done is logged. Raises InputError where a process is writing the folder.
    """
    if not os.path.lexists(folder) and [*_left(folder, "old-")]:
        with locked(folder) as notes:
            for note in notes:
                logging.getLogger("tokbench").warning("note: %s", printable(note))


def _restored(folder: Path) -> Iterator[str]:
    """Put an older run back where the new one never came, and remove what else is left."""
    for old in _left(folder, "old-"):
        if not os.path.lexists(folder):
            os.rename(old, folder)
            disk.sync(old.parent)
            yield f"{folder}: put back the older run, as the process that replaced it had ended"
        elif (folder / RECORD).exists():  # else somebody put something there: nothing may be lost
            shutil.rmtree(old, ignore_errors=True)
    for new in _left(folder, "new-"):
        shutil.rmtree(new) if new.is_dir() else new.unlink()
        yield f"{folder}: removed {new.name} of a process that has ended"


def _left(folder: Path, what: str) -> Iterator[Path]:
    """Yield what stands beside a folder under a name that only tokbench gives."""
    beginning = beside(folder, what)
    for path in sorted(beginning.parent.glob(f"{glob.escape(beginning.name)}*")):
        if not path.is_symlink():
            yield path
