"""Results of finished jobs, kept in a folder beside the run until the run is whole.

A job is a pure function, so that its result is kept under the digest of all that it depends on. The
name of a file also holds the digest of what is in it: a half-copied or changed file is not taken.
"""

import hashlib
import importlib.util
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from tokbench.api import Component
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.errors import InputError
from tokbench.plugins import Registry
from tokbench.run_folder import disk
from tokbench.runner.assemble import packages_of
from tokbench.runner.results import SystemResult
from tokbench.runner.stored import StoredError, TooLargeError, read, write

WORTH_SECONDS = 1.0
"""What takes less is done again sooner than its result is written and synced."""
BYTES_A_SECOND = 10_000_000
"""A job with a larger result is done again: to keep it would cost too much of its time."""

DIGITS = 32
OURS = re.compile(r"[0-9a-f]{32}-([0-9a-f]{32}\.job|[0-9]+\.new)")

T = TypeVar("T")


class FinishedJobs:
    """The folder of finished jobs, which need not exist; without one nothing is kept.

    `taken` are the results that an earlier run left, `notes` say what was wrong with others.
    """

    def __init__(
        self,
        folder: Path | None = None,
        fresh: bool = False,
        earlier: Iterable[str] | None = None,
    ) -> None:
        """Open the folder, and clear it if all is to be done `fresh`.

        A process of the same run that opens it too is given the `earlier` files that were found
        first. Raises InputError where something else stands there.
        """
        self.folder = folder
        self._place = None if folder is None else folder.absolute()  # a plugin may go elsewhere
        self.taken: set[str] = set()
        self.notes: list[str] = []
        if folder and os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
            what = "is no folder, but finished jobs are to be kept there: move it away"
            raise InputError(f"{folder}: {what}")
        if earlier is not None:
            self.earlier = {*earlier}
            return
        self._clear([path for path in self._files() if fresh or path.suffix != ".job"])
        for path in filter(_is_damaged, self._files()):
            self._forget(path)
        self.earlier = {path.name for path in self._files()}

    @property
    def are_there(self) -> bool:
        """Whether there is any, so that it is worth asking for one."""
        return any(self._files())

    def find(self, key: str, known: Mapping[str, Any]) -> tuple[Any] | None:
        """Return the result of a job, or None; one that is damaged is removed, with a note."""
        for path in self._files(key):
            with suppress(StoredError):
                found = read(path, known=known)
                self.taken |= {path.name} & self.earlier
                return (found,)
            self._forget(path)
        return None

    def _forget(self, path: Path) -> None:
        self.notes.append(f"{self.folder}/{path.name}: is damaged, so this job is done again")
        self._clear([path])

    def keep(self, key: str, result: Any, known: Mapping[str, Any], most: float) -> None:
        """Keep a result of up to `most` bytes, on the disk before it counts.

        Where that is not possible, there is one note.
        """
        if self._place is None:
            return
        new = self._place / f"{key}-{os.getpid()}.new"  # two processes may learn the same
        try:
            disk.make_folder(self._place)
            write(new, result, known, most)
            disk.sync(new)
            new.rename(self._place / f"{key}-{_digest_of_file(new)}.job")
            disk.sync(self._place)
        except TooLargeError:
            with suppress(OSError):  # others are there
                self._place.rmdir()
        except (OSError, StoredError) as error:
            self._clear([new])
            why = getattr(error, "strerror", None) or error
            note = f"{self.folder}: finished jobs are not kept: {why}"
            self.notes += [note] * (note not in self.notes)

    def remove(self) -> None:
        """Remove the folder with all that is ours; what else stands there stays."""
        self._clear(self._files())
        if self._place is not None:
            with suppress(OSError):
                self._place.rmdir()

    def _files(self, key: str = "") -> list[Path]:
        try:
            found = [] if self._place is None else sorted(self._place.glob(f"{key}*"))
        except OSError:
            return []
        return [f for f in found if OURS.fullmatch(f.name) and not (key and f.suffix == ".new")]

    @staticmethod
    def _clear(paths: list[Path]) -> None:
        for path in paths:
            with suppress(OSError):
                path.unlink()


@contextmanager
def finished_jobs(run: Path, fresh: bool, say: Callable[[str], None]) -> Iterator[FinishedJobs]:
    """Open the finished jobs of a run folder, and say what was taken, and what a stop leaves."""
    finished = FinishedJobs(run.parent / f"{run.name or 'run'}.partial", fresh)
    try:
        yield finished
    except BaseException:
        if finished.are_there:
            what = "holds finished jobs; the same command goes on from there"
            say(f"note: {finished.folder}: {what}")
        raise
    finally:
        if finished.taken:
            many = f"{len(finished.taken)} finished jobs of a stopped run"
            say(f"note: {finished.folder}: {many} were used (--fresh does them again)")
        for note in finished.notes:
            say(f"note: {note}")


def known_values(experiment: Experiment, corpora: Corpora | None = None) -> dict[str, Any]:
    """Return by name what all processes of a run have: its components and, once read, its words."""
    parts = {f"part {number}": part for number, part in enumerate(experiment.parts)}
    tests = corpora.tests if corpora else ()
    return parts | {f"words of {test.name}": test.words for test in tests}


class JobsOfRun:
    """The jobs of one run: each is done unless its result is kept, and its result may be kept."""

    def __init__(
        self, finished: FinishedJobs, experiment: Experiment, corpora: Corpora, registry: Registry
    ) -> None:
        self.finished = finished
        self._run = experiment, corpora, registry
        self.known = known_values(experiment, corpora)
        plain = experiment.resolved["systems"]
        self._plain = dict(zip((one.name for one in experiment.systems), plain, strict=True))

    def learn(self, system: System, inputs: object, job: Callable[[], T]) -> T:
        """Learn a vocabulary: that depends on the training text, and on no other system."""
        plain = self._plain[system.name]
        whose = "" if system.learner.deterministic else system.name  # others learn alike
        given = plain["learner"], plain["split"], inputs, whose
        parts = [part for part in (system.learner, system.splitter) if part is not None]
        return self._do(system, parts, lambda: (self._of_training, self._of(parts), given), job)

    def cut(self, system: System, inputs: object, job: Callable[[], T]) -> T:
        """Segment the corpora, which is kept before they are scored."""
        plain = self._plain[system.name]
        return self._do(system, [*system.parts], lambda: (self._of_all, plain, "cut", inputs), job)

    def score(
        self, system: System, inputs: object, job: Callable[[], SystemResult]
    ) -> SystemResult:
        """Learn, segment and score; where anything failed, it is not kept for another process."""
        plain = self._plain[system.name]
        parts = [*system.parts, *self._run[0].shared_parts]
        return self._do(system, parts, lambda: (self._of_all, plain, inputs), job)

    def _do(
        self,
        system: System,
        parts: Sequence[Component],
        inputs: Callable[[], object],
        job: Callable[[], T],
    ) -> T:
        """Return the result that is kept, or do the job with parts whose files must not change."""
        known = {"system": system, **self.known}  # it may have fewer sizes than in the config
        if self.finished.are_there and (found := self.finished.find(_digest_of(inputs()), known)):
            result: T = found[0]
            return result
        begin = time.perf_counter()
        result = job()
        for file in (file for part in parts for file in part.files):
            file.read_bytes()  # refuses one that has changed, which a library may have read itself
        failed = isinstance(result, SystemResult) and any(one.failed for one in result.issues)
        seconds = time.perf_counter() - begin
        if self.finished.folder is not None and seconds >= WORTH_SECONDS and not failed:
            most = seconds * BYTES_A_SECOND
            self.finished.keep(_digest_of(inputs()), result, known, most)
        return result

    @cached_property
    def _of_training(self) -> str:
        """The digest of what all learning depends on: the training text, and all code."""
        experiment, corpora, registry = self._run
        train = experiment.resolved["corpora"].get("train"), corpora.train and corpora.train.digest
        found_by = self._of([experiment.train.splitter] if experiment.train else [])
        return _digest_of((train, found_by, experiment.seed, sys.version, _code(registry)))

    def _of(self, parts: Sequence[Component]) -> object:
        """Return what components stand for besides code: their files, and what they wrap."""
        return [f.digest for part in parts for f in part.files], packages_of(self._run[2], parts)

    @cached_property
    def _of_all(self) -> str:
        """The digest of what all scoring depends on, all systems' files and libraries too."""
        experiment, corpora, _ = self._run
        others = {key: one for key, one in experiment.resolved.items() if key != "systems"}
        tests = [test.digest for test in corpora.tests]
        return _digest_of((self._of_training, self._of(experiment.parts), others, tests))


def _is_damaged(path: Path) -> bool:
    """Return whether a file holds something else than its name says, or cannot be read."""
    with suppress(OSError, MemoryError):
        return not path.is_file() or _digest_of_file(path) != path.stem.partition("-")[2]
    return True


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]


def _digest_of(inputs: object) -> str:
    text = json.dumps(inputs, sort_keys=True).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:DIGITS]


def _code(registry: Registry) -> str:
    """Compute the digest of our code and of plugins': a version does not tell of every change."""
    named = {
        str(offer.offered) if isinstance(offer.offered, str) else str(offer.component.__module__)
        for offer in registry.offers
    }
    names = {"tokbench", *(name.partition(":")[0].partition(".")[0] for name in named)}
    digest = hashlib.sha256()
    for path in (path for name in sorted(names) for path in _sources(name)):
        digest.update(os.fsencode(path.name) + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources(package: str) -> Iterator[Path]:
    """Return the files of a package, also compiled ones and tables, or the file of a module."""
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            found = sorted(Path(folder).rglob("*"))
            yield from (path for path in found if path.suffix != ".pyc" and path.is_file())
    elif spec is not None and spec.origin:
        yield Path(spec.origin)
