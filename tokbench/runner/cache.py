"""Learned vocabularies and segmentations, kept in the user's cache folder for later runs.

To learn and to cut are pure functions: each result is kept under the digest of all that it depends
on. So the next run, or the same one after it was stopped, does only what is new.
"""

import hashlib
import importlib.util
import io
import json
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tokbench.api import Component, Segmentation, Segmenter, Vocabulary
from tokbench.api.component import python_is_forced
from tokbench.api.files import cache_folder
from tokbench.api.words import Ints
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora, TestCorpus
from tokbench.cut import BoundSegmenter
from tokbench.plugins import Registry
from tokbench.run_folder import arrays
from tokbench.runner.assemble import packages_of

VARIABLE = "TOKBENCH_CACHE"
"""The environment variable that names another folder."""
MOST_BYTES = 2_000_000_000
TRIMMED_AFTER = MOST_BYTES // 32
"""The bytes that a process may add before it looks how large the folder is."""
LEFT_SECONDS = 3600
"""A file that is still being written after so long is of a process that was killed."""

DIGITS, DIGEST_BYTES = 32, 32
OURS = re.compile(r"[0-9a-f]{32}(-[0-9a-f]{16}\.new|\.kept)")
CUT = "cut"

T = TypeVar("T")


class Done(NamedTuple, Generic[T]):
    """A result, and whether it, or a part of it, was taken from the cache."""

    value: T
    cached: bool


def folder_of_user() -> Path:
    """Return the cache folder: $TOKBENCH_CACHE where it is set, else `learned` in the user's."""
    own = os.environ.get(VARIABLE)
    return Path(own).absolute() if own else cache_folder("learned")


class Cache:
    """Bytes by key in a folder of at most `most` bytes; without a folder nothing is kept.

    A file holds the SHA-256 of what follows it, so that a damaged one is not taken. Its time of
    access is that of the last use; what was made before `since` is not taken. `notes` say what was
    damaged, and why nothing can be kept.
    """

    def __init__(
        self, folder: Path | None = None, since: float = 0.0, most: int = MOST_BYTES
    ) -> None:
        """Open the folder, which need not exist."""
        self.folder, self.since, self._most = folder, since, most
        self.notes: list[str] = []
        self._added = 0
        self._can_write = folder is not None

    def find(self, key: str) -> bytes | None:
        """Return what is kept under a key, or None; what is damaged is removed, with a note."""
        if self.folder is None:
            return None
        path = self.folder / f"{key}.kept"
        try:
            status = path.stat()
            if status.st_mtime < self.since:
                return None
            content = self._content(path, status)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.note([f"{path}: cannot be read: {error.strerror or error}"])
            return None
        with suppress(OSError):  # the folder may be for reading only
            if content is None:
                self.note([f"{path}: is damaged, so this is done again"])
                path.unlink()
            else:
                os.utime(path, (time.time(), status.st_mtime))
        return content

    def _content(self, path: Path, status: os.stat_result) -> bytes | None:
        """Return what a file keeps; None where it is not whole, or no file of ours."""
        if not stat.S_ISREG(status.st_mode) or status.st_size > self._most:
            return None
        with path.open("rb") as file:
            digest, content = file.read(DIGEST_BYTES), file.read()
        return content if hashlib.sha256(content).digest() == digest else None

    def keep(self, key: str, content: bytes) -> None:
        """Keep bytes under a key; where that is not possible, there is one note."""
        if self.folder is None or not self._can_write:
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
            self.note([f"{self.folder}: nothing more is kept: {error.strerror or error}"])
            with suppress(OSError):
                new.unlink()
        self._added += len(content)
        if self._added > min(TRIMMED_AFTER, self._most):
            self.trim()

    def trim(self) -> None:
        """Remove what was used longest ago until the folder is small enough."""
        self._added = 0
        files = sorted(self._files(), key=lambda file: file[1].st_atime, reverse=True)
        total = 0
        for path, status in files:
            total += status.st_size
            is_left = path.suffix == ".new" and time.time() - status.st_mtime > LEFT_SECONDS
            if is_left or (total > self._most and path.suffix == ".kept"):
                with suppress(OSError):
                    path.unlink()

    def has_since(self, begin: float) -> bool:
        """Return whether anything has been kept since a time."""
        return any(status.st_mtime >= begin for _, status in self._files())

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(status.st_size for _, status in self._files())

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        with suppress(OSError):
            for path in self.folder.iterdir() if self.folder else ():
                with suppress(OSError):  # removed meanwhile
                    if OURS.fullmatch(path.name):
                        yield path, path.stat()

    def note(self, texts: Iterable[str]) -> None:
        """Add notes, each once."""
        self.notes += [text for text in texts if text not in self.notes]


@contextmanager
def opened(fresh: bool, say: Callable[[str], None]) -> Iterator[Cache]:
    """Open the user's cache for a run, without what is there if all is to be done `fresh`.

    What is noted is said at the end; after Ctrl-C, that the next run goes on from what was kept.
    """
    begin = time.time()
    cache = Cache(folder_of_user(), since=begin if fresh else 0.0)
    try:
        yield cache
    except KeyboardInterrupt:
        if cache.has_since(begin):
            what = "keeps what was learned and cut; the same command goes on from there"
            say(f"note: {cache.folder}: {what}")
        raise
    finally:
        cache.trim()
        for note in cache.notes:
            say(f"note: {note}")


class CachedWork:
    """The learning and cutting of one run: each is done unless its result is kept.

    `code` is the digest of the code that learns and cuts, if another process has computed it.
    """

    def __init__(
        self,
        cache: Cache,
        experiment: Experiment,
        corpora: Corpora,
        registry: Registry,
        code: str = "",
    ) -> None:
        self.cache = cache
        self._run = experiment, corpora, registry
        self._given_code = code
        plain = experiment.resolved["systems"]
        self._plain = dict(zip((one.name for one in experiment.systems), plain, strict=True))
        self._texts: dict[tuple[str, bool], str] = {}

    @cached_property
    def code(self) -> str:
        """The digest of our code and of plugins': a version does not tell of every change."""
        return self._given_code or _code(self._run[2])

    def key(self, system: System, inputs: object) -> str:
        """Return the key of a vocabulary; empty where nothing of it is kept.

        It depends on the training text, if it is read, and on no other system.
        """
        if self.cache.folder is None or not system.learner.deterministic:
            return ""
        plain = self._plain[system.name]
        train = None if system.learner.reads == "nothing" else self._training
        learned = plain["learner"], plain["split"], self._of(_parts(system)), train, inputs
        return _digest_of((learned, self._run[0].seed, self.code, sys.version, python_is_forced()))

    def learn(self, system: System, key: str, job: Callable[[], Vocabulary]) -> Done[Vocabulary]:
        """Learn a vocabulary."""
        if key and (content := self.cache.find(key)) is not None:
            return Done(Vocabulary.from_json(content.decode()), cached=True)
        vocabulary = job()
        check_unchanged(_parts(system))
        if key and type(vocabulary) is Vocabulary:
            self.cache.keep(key, vocabulary.to_json().encode())
        return Done(vocabulary, cached=False)

    def cut(
        self,
        system: System,
        key: str,
        inputs: object,
        corpus: TestCorpus,
        with_lines: bool,
        bound: BoundSegmenter,
        job: Callable[[], Segmentation | None],
    ) -> Done[Segmentation | None]:
        """Cut a corpus with the vocabulary of a key, its words alone or in their lines.

        None is not kept.
        """
        if key:
            text = self._text(corpus, with_lines)
            key = self._key_of_cut(system, key, bound.segmenter, [inputs, text])
        if key and (content := self.cache.find(key)) is not None:
            kept = arrays.opened(content)
            return Done(arrays.states_of(kept, CUT, corpus.words, bound.vocabulary), cached=True)
        cut = job()
        check_unchanged([*_parts(system), bound.segmenter])
        if key and cut is not None:
            self._keep(key, arrays.segmentation_arrays(CUT, cut, timeline=True))
        return Done(cut, cached=False)

    def count(
        self,
        system: System,
        key: str,
        inputs: object,
        segmenter: Segmenter,
        job: Callable[[], Mapping[str, Ints]],
    ) -> Done[Mapping[str, Ints]]:
        """Count tokens of the training text, by size."""
        key = key and self._key_of_cut(system, key, segmenter, [inputs, self._training])
        if key and (content := self.cache.find(key)) is not None:
            kept = arrays.opened(content)
            return Done({size: kept[size].astype(np.int64) for size in kept}, cached=True)
        counts = job()
        check_unchanged([*_parts(system), segmenter])
        if key:
            self._keep(key, counts)
        return Done(counts, cached=False)

    def _keep(self, key: str, named: arrays.Arrays) -> None:
        file = io.BytesIO()
        arrays.save(file, named, compresslevel=1)
        self.cache.keep(key, file.getvalue())

    def _key_of_cut(self, system: System, key: str, segmenter: Segmenter, inputs: object) -> str:
        parts = [*_parts(system), segmenter]
        return _digest_of((key, self._plain[system.name]["segmenter"], self._of(parts), inputs))

    @cached_property
    def _training(self) -> object:
        """What the training text depends on, besides the code that reads it."""
        experiment, corpora, _ = self._run
        train = experiment.resolved["corpora"].get("train"), corpora.train and corpora.train.digest
        return train, self._of([experiment.train.splitter] if experiment.train else [])

    def _of(self, parts: Sequence[Component]) -> object:
        """Return what components stand for besides code: their files, and what they wrap."""
        return [f.digest for part in parts for f in part.files], packages_of(self._run[2], parts)

    def _text(self, corpus: TestCorpus, with_lines: bool) -> str:
        """Compute the digest of the words of a corpus, or of its lines with the words' places."""
        place = corpus.name, with_lines
        if place not in self._texts:
            words = corpus.words
            parts = [_encoded(words.text)]
            if with_lines:
                running = corpus.text
                numbers = words.order, words.lines, running.begins, running.ends, running.ignored
                parts += [_encoded(running.lines), running.splitter_ignores.encode()]
                parts += [array.tobytes() for array in numbers]
            digests = (hashlib.sha256(part).digest() for part in parts)
            self._texts[place] = hashlib.sha256(b"".join(digests)).hexdigest()
        return self._texts[place]


def check_unchanged(parts: Iterable[Component]) -> None:
    """Raise InputError if a file of a part has changed: a library may have read it itself."""
    for file in chain.from_iterable(part.files for part in parts):
        file.read_bytes()


def _parts(system: System) -> list[Component]:
    """Return what learns."""
    return [part for part in (system.learner, system.splitter) if part is not None]


def _encoded(texts: Sequence[str]) -> bytes:
    """Return texts as bytes, other ones for other texts."""
    return json.dumps(texts).encode()


def _digest_of(inputs: object) -> str:
    text = json.dumps(inputs, sort_keys=True).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:DIGITS]


MAKERS = ("learner", "segmenter", "splitter", "format")
"""The kinds of components that vocabularies and segmentations are made with."""


def _code(registry: Registry) -> str:
    """Compute the digest of our code, and of the plugins that offer makers."""
    named = {
        str(offer.offered) if isinstance(offer.offered, str) else str(offer.component.__module__)
        for offer in registry.offers
        if offer.kind in MAKERS
    }
    names = {"tokbench", *(name.partition(":")[0].partition(".")[0] for name in named)}
    digest = hashlib.sha256()
    for path in (path for name in sorted(names) for path in _sources(name)):
        digest.update(os.fsencode(path.name) + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources(package: str) -> Iterator[Path]:
    """Return the files of a package, also compiled ones and tables, or modules beside a module."""
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            found = sorted(Path(folder).rglob("*"))
            yield from (path for path in found if path.suffix != ".pyc" and path.is_file())
    elif spec is not None and spec.origin:
        yield from sorted(Path(spec.origin).parent.glob("*.py"))
