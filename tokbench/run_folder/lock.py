"""One writer a folder: the lock beside it, and what an ended writer left there.

The kernel knows whether the holder lives, so the lock of a dead process is free at once, and a
process number that is used again misleads nobody. What the file says is for the message.
"""

import errno
import fcntl
import hashlib
import json
import logging
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from weakref import WeakSet

from tokbench.errors import InputError
from tokbench.printing import printable
from tokbench.run_folder import disk
from tokbench.run_folder.seal import RECORD, SEAL, read_document

PREFIX = ".tokbench-"
LONGEST_NAME = 200
"""Bytes of a folder's name that fit into names beside it; else its digest stands there."""

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
"""What a file system answers that knows no locks, as on some clusters."""

TRIES, PAUSE = 5, 0.1
"""How often a lock is asked for, and the seconds between: another command may only be tidying."""

BOOT = Path("/proc/sys/kernel/random/boot_id")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raise InputError where a folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}") from None


def beside(folder: Path, what: str) -> Path:
    """Return the name of what belongs to a folder: its `lock`, a `new` or an `old` run.

    `old` is also the journal: with it, and without the folder, the new run is whole.
    """
    folder = Path(os.path.realpath(folder))
    name = os.fsencode(folder.name)
    short = folder.name if len(name) <= LONGEST_NAME else f"-{hashlib.sha256(name).hexdigest()}"
    return folder.with_name(f"{PREFIX}{short}.{what}")


class Holder(NamedTuple):
    """The process that holds a lock, or held it; `boot` tells kernels apart, whatever the host."""

    process: int
    host: str
    boot: str
    since: str

    @classmethod
    def here(cls) -> "Holder":
        """Return this process, holding the lock from now on."""
        boot = BOOT.read_text().strip() if BOOT.exists() else ""
        since = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        return cls(os.getpid(), socket.gethostname(), boot, since)

    @classmethod
    def of(cls, text: bytes) -> "Holder | None":
        """Read what a lock says; None where it says nothing."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError):
            return None

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


class FolderLock:
    """The right to write a folder. `notes` say what ended processes had left."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, beside(folder, "lock")
        self.notes: list[str] = []
        self._handle = -1

    @property
    def held(self) -> bool:
        """Whether this process has the lock, and nobody has removed it."""
        return _stands(self._handle, self.path)

    def take(self, tries: int) -> Holder | None:
        """Take the lock; return who ended without giving it up, if anybody did.

        Raises InputError where another process has it, or may have it.
        """
        while True:
            try:
                return self._take()
            except BlockingIOError:
                tries -= 1
                if not tries:
                    raise self._refused("") from None
            time.sleep(PAUSE)

    def _take(self) -> Holder | None:
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            kernel_knows = True
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in NO_LOCKS:
                    raise
                kernel_knows = False
            if not _stands(handle, self.path):
                raise BlockingIOError  # whoever had it has just removed it
            here, last = Holder.here(), Holder.of(os.pread(handle, 10_000, 0))
            # A container on this kernel has another host name.
            near = last and (last.host == here.host or last.boot == here.boot != "")
            if last and not (kernel_knows and near):
                raise self._refused(f"; if that process no longer runs, remove {self.path}")
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, json.dumps(here._asdict()).encode(), 0)
            os.fsync(handle)
        except BaseException:
            self.release()  # the disk is full, say
            raise
        _TAKEN.add(self)
        return last

    def release(self) -> None:
        """Give the lock up; in a forked process nothing happens."""
        if self.held:
            with suppress(OSError):
                self.path.unlink()
                os.close(self._handle)
        self._handle = -1

    def close(self) -> None:
        """Forget the lock in a forked process, which would else hold it longer than we live."""
        if self.held:
            os.close(self._handle)
        self._handle = -1

    def _refused(self, advice: str) -> InputError:
        holder = Holder.of(self.path.read_bytes()) if self.path.exists() else None
        who = f"{holder}, since {holder.since}" if holder else "another process"
        wait = "wait until it has ended, or name another folder"
        return InputError(f"{self.folder}: is being written by {who}: {wait}{advice}")


# One function for all locks: the system calls each at every fork, and forgets none.
_TAKEN: WeakSet[FolderLock] = WeakSet()
os.register_at_fork(after_in_child=lambda: list(map(FolderLock.close, _TAKEN)))


@contextmanager
def locked(folder: Path, alone: bool = False) -> Iterator[FolderLock]:
    """Hold the lock of a folder, after tidying up after ended processes.

    Also after those that wrote other folders beside it, unless it is to be `alone`. Raises
    InputError where another process has the lock, or nothing can be written.
    """
    lock = FolderLock(folder)
    with writing(folder):
        ended = lock.take(1 if alone else TRIES)
    try:
        with writing(folder):
            lock.notes += _tidied(folder, ended)
        for path in [] if alone else lock.path.parent.glob(f"{PREFIX}[!-]*.lock"):
            other = path.with_name(path.stem.removeprefix(PREFIX))
            if path != lock.path:
                # Whoever lives, or is on another machine, is left alone.
                with suppress(InputError), locked(other, alone=True) as dead:
                    lock.notes += dead.notes
        yield lock
    finally:
        lock.release()


def settle(folder: Path) -> None:
    """Where a folder is missing, put it there if an ended process had only that left to do.

    What was done is logged. Raises InputError where a living process is writing it.
    """
    if not os.path.exists(folder) and os.path.lexists(beside(folder, "lock")):
        with locked(folder, alone=True) as lock:
            for note in lock.notes:
                logging.getLogger("tokbench").warning("note: %s", printable(note))


def _tidied(folder: Path, ended: Holder | None) -> Iterator[str]:
    """Complete what an ended process had begun, remove what it had left, and say so."""
    new, old = beside(folder, "new"), beside(folder, "old")
    who = f"{ended}, which has ended" if ended else "a process that has ended"
    if old.exists() and not os.path.lexists(folder):
        os.rename(new if new.exists() else old, folder)
        disk.sync(new.parent)
        yield f"{folder}: put in its place, as {who}, had begun to"
    left = [path for path in (new, old) if os.path.lexists(path)]
    if old in left and not (folder / RECORD).exists():
        return  # somebody put something else there: the older run must not be lost
    sealed = {RECORD, *(read_document(folder) or {}).get(SEAL, ())}
    left += (path for path in folder.glob(f"{PREFIX}*") if path.name[len(PREFIX) :] in sealed)
    for path in left:
        path.unlink() if path.is_file() else shutil.rmtree(path)
        yield f"{folder}: removed {path.name} of {who}"
    if ended and not left:
        yield f"{folder}: removed the lock of {who}"


def _stands(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except OSError:
        return False
