"""Learning and cutting, each done unless the user's cache has its result from an earlier run.

To learn and to cut are pure functions: each result is kept under the digest of all that it depends
on. So the next run, or the same one after it was stopped, does only what is new.
"""

import hashlib
import importlib.util
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tokbench.api import Component, Segmenter, Vocabulary
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
MAKERS = ("learner", "segmenter", "splitter", "format")
"""The kinds of components that vocabularies and segmentations are made with."""

T = TypeVar("T")


class CachedWork:
    """The learning and cutting of one run: each is done unless its result is kept.

    `taken` is how many results came from the cache so far.
    """

    def __init__(
        self, cache: Cache, experiment: Experiment, corpora: Corpora, registry: Registry
    ) -> None:
        self.cache, self.taken = cache, 0
        self._experiment, self._corpora, self._registry = experiment, corpora, registry
        plain = experiment.resolved["systems"]
        self._plain = dict(zip((system.name for system in experiment.systems), plain, strict=True))
        self._texts: dict[tuple[str, bool], str] = {}

    def key(self, system: System, inputs: object) -> str:
        """Return the key of a vocabulary; empty where nothing of it is kept.

        It depends on the training text, if it is read, and on no other system.
        """
        # Of a learner that varies, no key says which vocabulary it was.
        if self.cache.folder is None or not system.learner.deterministic:
            return ""
        plain = self._plain[system.name]
        train = None if system.learner.reads == "nothing" else self._training
        run = self._experiment.seed, self._code, sys.version, python_is_forced()
        return self._digest(_parts(system), plain["learner"], plain["split"], train, inputs, *run)

    def learn(self, system: System, key: str, job: Callable[[], Vocabulary]) -> Vocabulary:
        """Learn a vocabulary."""
        return self._once(
            key,
            _parts(system),
            job,
            lambda vocabulary: vocabulary.to_json().encode(),
            lambda content: Vocabulary.from_json(content.decode()),
        )

    def cut(
        self,
        system: System,
        key: str,
        inputs: object,
        corpus: TestCorpus,
        with_lines: bool,
        bound: BoundSegmenter,
        job: Callable[[], T],
    ) -> T:
        """Cut a corpus with the vocabulary of a key, its words alone or in their lines.

        A job without a result, as a replay may be, is not kept.
        """
        parts = [*_parts(system), bound.segmenter]
        if key:
            plain, text = self._plain[system.name]["segmenter"], self._text(corpus, with_lines)
            key = self._digest(parts, key, plain, inputs, text)
        return self._once(
            key,
            parts,
            job,
            _npz_of,
            lambda content: arrays.states_of(
                arrays.opened(content), CUT, corpus.words, bound.vocabulary
            ),
        )

    def count(
        self,
        system: System,
        key: str,
        inputs: object,
        segmenter: Segmenter,
        job: Callable[[], Mapping[str, Ints]],
    ) -> Mapping[str, Ints]:
        """Count tokens of the training text, by size."""

        def counts_of(content: bytes) -> Mapping[str, Ints]:
            by_size = arrays.opened(content)
            return {size: by_size[size].astype(np.int64) for size in by_size}

        parts = [*_parts(system), segmenter]
        if key:
            plain = self._plain[system.name]["segmenter"]
            key = self._digest(parts, key, plain, inputs, self._training)
        return self._once(key, parts, job, _npz, counts_of)

    def _once(
        self,
        key: str,
        parts: Sequence[Component],
        job: Callable[[], T],
        encode: Callable[[Any], bytes],
        decode: Callable[[bytes], Any],
    ) -> T:
        """Return what is kept under a key, else do the job and keep its result, if it has one."""
        if key and (content := self.cache.find(key)) is not None:
            self.taken += 1
            decoded: T = decode(content)
            return decoded
        result = job()
        check_unchanged(parts)
        if key and result is not None:
            self.cache.keep(key, encode(result))
        return result

    def _digest(self, parts: Sequence[Component], *inputs: object) -> str:
        """Compute the digest of inputs, and of the files and libraries of components."""
        files = [file.digest for part in parts for file in part.files]
        plain = json.dumps([files, packages_of(self._registry, parts), inputs], sort_keys=True)
        return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]

    @cached_property
    def _code(self) -> str:
        """The digest of our code, of the plugins that offer makers, and of plugin files."""
        # A version does not tell of every change, such as one that a plugin's author just made.
        modules = {
            str(offer.offered) if isinstance(offer.offered, str) else offer.component.__module__
            for offer in self._registry.offers
            if offer.kind in MAKERS
        }
        names = {"tokbench", *(re.split("[:.]", module)[0] for module in modules)}
        sources = [path for name in sorted(names) for path in _sources(name)]
        # What a plugin file offers may be of another module.
        sources += map(Path, self._registry.plugin_files)
        digest = hashlib.sha256()
        for path in sources:
            digest.update(os.fsencode(path.name) + hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    @cached_property
    def _training(self) -> object:
        """What the training text depends on, besides the code that reads it."""
        described, train = self._experiment.resolved["corpora"].get("train"), self._corpora.train
        parts = [self._experiment.train.splitter] if self._experiment.train else []
        return self._digest(parts, described, train and train.digest)

    def _text(self, corpus: TestCorpus, with_lines: bool) -> str:
        """Compute the digest of the words of a corpus, or of its lines with the words' places."""
        place = corpus.name, with_lines
        if place not in self._texts:
            words = corpus.words
            parts = [_encoded(words.text)]
            if with_lines and (running := corpus.text):
                numbers = words.order, words.lines, running.begins, running.ends, running.ignored
                parts += [_encoded(running.lines), running.splitter_ignores.encode()]
                parts += [array.tobytes() for array in numbers]
            digests = (hashlib.sha256(part).digest() for part in parts)
            self._texts[place] = hashlib.sha256(b"".join(digests)).hexdigest()
        return self._texts[place]


def _npz(named: arrays.Arrays) -> bytes:
    file = io.BytesIO()
    arrays.save(file, named, compresslevel=1)
    return file.getvalue()


def _npz_of(cut: Any) -> bytes:
    return _npz(arrays.segmentation_arrays(CUT, cut, timeline=True))


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


def _sources(package: str) -> Iterator[Path]:
    """Return the files of a package, also compiled ones and tables, or modules beside a module."""
    spec = importlib.util.find_spec(package)
    if spec is not None and spec.submodule_search_locations:
        for folder in spec.submodule_search_locations:
            paths = sorted(Path(folder).rglob("*"))
            yield from (path for path in paths if path.suffix != ".pyc" and path.is_file())
    elif spec is not None and spec.origin:
        yield from sorted(Path(spec.origin).parent.glob("*.py"))
