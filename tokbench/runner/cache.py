"""The user's cache folder: bytes by key, for later runs."""

import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tokbench.api.files import cache_folder

VARIABLE = "TOKBENCH_CACHE"
"""The environment variable that names another folder."""
MOST_BYTES = 2_000_000_000
TRIMMED_AFTER = MOST_BYTES // 32
"""The bytes that a process may add before it looks how large the folder is."""

DIGEST_BYTES = 32
OURS = re.compile(r"[0-9a-f]{32}(-[0-9a-f]{16}\.new|\.kept)")


def folder_of_user() -> Path | None:
    """Return the cache folder: $TOKBENCH_CACHE where it is set, else `learned` in the user's."""
    own = os.environ.get(VARIABLE)
    return Path(own).absolute() if own else cache_folder("learned")


class Cache:
    """Bytes by key in a folder of at most `most` bytes; without a folder nothing is kept.

    A file holds the SHA-256 of what follows it, so that a damaged one is not taken. Its time of
    access is that of the last use; what was made before `since` is not taken. `notes` say what was
    damaged, and why nothing can be kept.

    The first `keep` also trims the folder, unless `close` will: a child process does not see the
    end of the run.
    """

    def __init__(
        self,
        folder: Path | None = None,
        since: float = 0.0,
        most: int = MOST_BYTES,
        will_close: bool = False,
    ) -> None:
        """Open the folder, which need not exist."""
        self.folder, self.since, self._most = folder, since, most
        self.notes: list[str] = []
        self._added = 0 if will_close else TRIMMED_AFTER
        self._can_write = folder is not None

    def find(self, key: str) -> bytes | None:
        """Return what is kept under a key, or None; what is damaged is removed, with a note."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.kept"
        try:
            made = path.stat().st_mtime
            if made < self.since:
                return None
            with path.open("rb") as file:
                digest, content = file.read(DIGEST_BYTES), file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self.note([f"{self.folder}: cannot be read: {error.strerror or error}"])
            return None
        is_whole = hashlib.sha256(content).digest() == digest
        with suppress(OSError):  # the folder may be for reading only
            if is_whole:
                # Most systems do not note when a file is read.
                os.utime(path, (time.time(), made))
            else:
                self.note([f"{path}: is damaged, so this is done again"])
                path.unlink()
        return content if is_whole else None

    def keep(self, key: str, content: bytes) -> None:
        """Keep bytes under a key; where that is not possible, there is one note."""
        if self.folder is None or not self._can_write or len(content) >= self._most:
            return
        new = self.folder / f"{key}-{secrets.token_hex(8)}.new"  # two processes may do the same
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with new.open("xb") as file:
                file.write(hashlib.sha256(content).digest())
                file.write(content)
            new.replace(self.folder / f"{key}.kept")
        except OSError as error:
            self._can_write = False
            what = "is no folder" if self.folder.is_file() else error.strerror or error
            self.note([f"{self.folder}: nothing more is kept: {what}"])
            with suppress(OSError):
                new.unlink()
        self._added += len(content)
        if self._added > min(TRIMMED_AFTER, self._most):
            self.trim()

    def trim(self) -> None:
        """Remove what was used longest ago until the folder is small enough."""
        self._added = 0
        total = 0
        # What a killed process was writing goes so too, since nobody uses it.
        for path, status in sorted(self._files(), key=lambda file: -file[1].st_atime):
            total += status.st_size
            if total > self._most:
                with suppress(OSError):
                    os.unlink(path)

    def close(self) -> None:
        """Trim the folder if anything was kept: to look at all its files takes time."""
        if self._added:
            self.trim()

    def has_since(self, begin: float) -> bool:
        """Return whether anything has been kept since a time."""
        return any(status.st_mtime >= begin for _, status in self._files())

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(status.st_size for _, status in self._files())

    def _files(self) -> Iterator[tuple[str, os.stat_result]]:
        if self.folder is None:
            return
        # There may be ten thousands, for which paths as objects take three times as long.
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                with suppress(OSError):  # removed meanwhile
                    if OURS.fullmatch(entry.name):
                        yield entry.path, entry.stat()

    def note(self, texts: Iterable[str]) -> None:
        """Add notes, each once."""
        self.notes += [text for text in texts if text not in self.notes]


@contextmanager
def opened(fresh: bool, say: Callable[[str], None]) -> Iterator[Cache]:
    """Open the user's cache for a run, without what is there if all is to be done `fresh`.

    What is noted is said at the end; after Ctrl-C, that the next run goes on from what was kept.
    """
    begin = time.time()
    cache = Cache(folder_of_user(), since=begin if fresh else 0.0, will_close=True)
    try:
        yield cache
    except KeyboardInterrupt:
        if cache.has_since(begin):
            what = "keeps what was learned and cut; the same command goes on from there"
            say(f"note: {cache.folder}: {what}")
        raise
    finally:
        cache.close()
        for note in cache.notes:
            say(f"note: {note}")
