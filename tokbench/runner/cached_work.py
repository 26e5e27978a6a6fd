"""Learning and cutting, each done unless the user's cache has its result from an earlier run.

To learn and to cut are pure functions: each result is kept under the digest of all that it depends
on. So the next run, or the same one after it was stopped, does only what is new.
"""

import hashlib
import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from tokbench.api import Component, Segmenter, Vocabulary
from tokbench.api.arrays import Segmentation
from tokbench.api.component import python_is_forced
from tokbench.api.words import Ints
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora, TestCorpus
from tokbench.cut import BoundSegmenter
from tokbench.plugins import Registry
from tokbench.run_folder import arrays
from tokbench.runner.assemble import packages_of
from tokbench.runner.cache import Cache

DIGITS = 32
CUT = "cut"

T = TypeVar("T")


class Done(NamedTuple, Generic[T]):
    """A result, and whether it, or a part of it, was taken from the cache."""

    value: T
    cached: bool


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
    # Escapes would spell two lone surrogates as the character that they make together.
    return json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _digest_of(inputs: object) -> str:
    text = json.dumps(inputs, sort_keys=True).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:DIGITS]


MAKERS = ("learner", "segmenter", "splitter", "format")
"""The kinds of components that vocabularies and segmentations are made with."""


def _code(registry: Registry) -> str:
    """Compute the digest of our code, of the plugins that offer makers, and of plugin files."""
    named = {
        str(offer.offered) if isinstance(offer.offered, str) else str(offer.component.__module__)
        for offer in registry.offers
        if offer.kind in MAKERS
    }
    names = {"tokbench", *(name.partition(":")[0].partition(".")[0] for name in named)}
    sources = [path for name in sorted(names) for path in _sources(name)]
    # What a plugin file offers may be of another module.
    sources += (Path(file) for file in registry.plugin_files)
    digest = hashlib.sha256()
    for path in sources:
        digest.update(os.fsencode(path.name) + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _sources(package: str) -> Iterator[Path]:
    """Return the files of a package, also compiled ones and tables, or modules beside a module."""
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            paths = sorted(Path(folder).rglob("*"))
            yield from (path for path in paths if path.suffix != ".pyc" and path.is_file())
    elif spec is not None and spec.origin:
        yield from sorted(Path(spec.origin).parent.glob("*.py"))
