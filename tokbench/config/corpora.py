"""The corpora of a config: their names, their files, and how their words are found."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from tokbench.api import GoldReader, PairGenerator, Splitter
from tokbench.api.component import Use
from tokbench.api.files import no_file
from tokbench.config.components import Builder, Built
from tokbench.config.models import CorporaKeys, named
from tokbench.config.options import keys_of
from tokbench.config.parts import Parts
from tokbench.config.problems import Where
from tokbench.corpora.source import DescribedCorpus, Generated, GoldSource, Source, Split
from tokbench.errors import InputError, UsageError

Role = Literal["train", "test", "lists", "gold", "pairs"]
SCORED: tuple[Role, ...] = ("test", "lists", "gold", "pairs")
LINES = "lines"
MIN_WORD_COUNT = "min-word-count"


@dataclass(frozen=True)
class NamedCorpus:
    """One corpus of a config: under which key, by which name, where."""

    key: Role
    name: str
    where: Where


@dataclass
class CorporaPart:
    """The corpora by key and name, and the JSON form of them all."""

    by_key: dict[Role, dict[str, DescribedCorpus]] = field(
        default_factory=lambda: {"train": {}, **{key: {} for key in SCORED}}
    )
    plain: dict[str, Any] = field(default_factory=dict)

    def add(self, entry: NamedCorpus, corpus: DescribedCorpus, plain: dict[str, Any]) -> None:
        """Add a corpus; the training corpus stands alone under its key, the others by name."""
        self.by_key[entry.key][entry.name] = corpus
        if entry.key == "train":
            self.plain[entry.key] = plain
        else:
            self.plain.setdefault(entry.key, {})[entry.name] = plain


class CorporaReader:
    """Checks `corpora`; problems go to `parts`, and what is right is returned."""

    def __init__(self, parts: Parts, builder: Builder, looks_for_files: bool = True) -> None:
        self.parts = parts
        self.looks_for_files = looks_for_files
        self.builder = builder
        self.found = CorporaPart()

    def read(self) -> CorporaPart:
        """Return the corpora that can be used; files are looked for but not read."""
        if ("corpora",) not in self.parts.document.values:
            return self.found
        given = self.parts.keys(("corpora",), CorporaKeys)
        if given and not any(given.get(key) for key in SCORED):
            what = "nothing to score: add `test`, `lists`, `gold` or `pairs`"
            self.parts.problem(("corpora",), what)
        train_words = None
        if given.get("train") is not None:
            train_words = self._source(NamedCorpus("train", "train", ("corpora", "train")))
        scored = [entry for key in SCORED if given.get(key) for entry in self._entries(key)]
        self._check_names(scored)
        for entry in scored:
            written = self.parts.get(entry.where)
            if entry.key == "test" and isinstance(written, dict) and "split" in written:
                self._split(entry, train_words)
            elif entry.key == "pairs" and isinstance(written, dict) and "generate" in written:
                self._generated(entry, [one.name for one in scored if one.key == "test"])
            else:
                self._source(entry)
        return self.found

    def _entries(self, key: Role) -> Iterator[NamedCorpus]:
        where: Where = ("corpora", key)
        if key == "test" and _is_single(self.parts.get(where)):
            yield NamedCorpus(key, "test", where)
            return
        for name in self.parts.mapping(where) or {}:
            yield NamedCorpus(key, name, (*where, name))

    def _check_names(self, entries: list[NamedCorpus]) -> None:
        """Check that all names can stand in results, and that they differ."""
        seen: dict[str, Where] = {}
        for entry in entries:
            try:
                named(entry.name)
            except ValueError as error:
                self.parts.problem(entry.where, str(error), at_key=True)
            first = seen.setdefault(entry.name.casefold(), entry.where)
            if first != entry.where:
                line = self.parts.document.place(first, key=True).line
                what = f"the corpus on line {line} has this name too: give each its own"
                self.parts.problem(entry.where, what, at_key=True)

    def _source(self, entry: NamedCorpus) -> Built | None:
        """Check a corpus from files; return its splitter."""
        words = self._words(entry.where)
        source = self.parts.checked(GoldSource if entry.key == "gold" else Source, entry.where)
        reader = self._gold_reader(entry, source) if isinstance(source, GoldSource) else None
        found_by: dict[str, Any] = {}
        if words and entry.key == "train" and source and source.format == "counts":
            found_by["words"] = words.component.describe(words.name)
            found_by["normalise"] = source.normalise
        if self.looks_for_files:
            _check_files(self.parts, entry.where, found_by)
        self._check_meaning(entry)
        if isinstance(source, Source) and words:
            folder = self.parts.document.path.parent
            plain = source.model_dump(mode="json", by_alias=True)
            if entry.key != "train":
                del plain[MIN_WORD_COUNT]
            if entry.key != "test":
                del plain[LINES]
            plain |= {"path": [_portable(path) for path in source.path], "words": words.plain}
            opened = tuple(folder / path for path in source.path)
            if reader:
                plain["format"] = reader.plain
            self._add(entry, source.model_copy(update={"path": opened}), words, plain, reader)
        return words

    def _gold_reader(self, entry: NamedCorpus, source: GoldSource) -> Built | None:
        """Build what reads the lines of a gold file."""
        written = (*entry.where, "format")
        if written in self.parts.document.values:
            return self.builder.at("gold reader", written)
        return self.builder.build("gold reader", source.format, entry.where)

    def _check_meaning(self, entry: NamedCorpus) -> None:
        """Refuse keys and values that say nothing about a corpus of this kind."""
        rare = (*entry.where, MIN_WORD_COUNT)
        if entry.key != "train" and rare in self.parts.document.values:
            what = "only the training text can leave out rare words: leave the key out"
            self.parts.problem(rare, what, at_key=True)
        if entry.key == "train" and (*entry.where, LINES) in self.parts.document.values:
            what = "only test texts have joined lines: leave the key out"
            self.parts.problem((*entry.where, LINES), what, at_key=True)
        if entry.key in ("lists", "gold", "pairs"):
            for key in ("words", "documents", LINES, *["format"] * (entry.key != "gold")):
                if (*entry.where, key) in self.parts.document.values:
                    what = "every line is one entry, never split: leave the key out"
                    self.parts.problem((*entry.where, key), what, at_key=True)
        elif entry.key == "test" and self.parts.get((*entry.where, "format")) == "counts":
            what = "word counts have no lines to score: expected `text` or `words`"
            self.parts.problem((*entry.where, "format"), what)
        joined = self.parts.get((*entry.where, LINES)) == "joined"
        if joined and self.parts.get((*entry.where, "format")) == "words":
            what = "a file of one word a line is no running text: leave the key out"
            self.parts.problem((*entry.where, LINES), what)

    def _split(self, entry: NamedCorpus, words: Built | None) -> None:
        """Check a corpus that is a share of another."""
        split = self.parts.checked(Split, entry.where)
        if self.parts.get(("corpora", "train", "format")) == "counts":
            what = "the training text holds word counts, which have no lines to draw"
            self.parts.problem(entry.where, what)
        if self.parts.get(("corpora", "train")) is None:
            self.parts.problem(entry.where, "there is no training text to split: add `train`")
        if isinstance(split, Split) and words:
            self._add(entry, split, words, split.model_dump(mode="json", by_alias=True))

    def _generated(self, entry: NamedCorpus, texts: list[str]) -> None:
        """Check pairs that are made from a test text."""
        generated = self.parts.checked(Generated, entry.where)
        built = self.builder.at("pair generator", (*entry.where, "generate"))
        words = self._words(entry.where)
        if not generated or not built or not words:
            return
        if generated.of not in texts:
            known = f"there are: {', '.join(texts)}" if texts else "there are none"
            what = f"no test text is called '{generated.of}'; {known}"
            self.parts.problem((*entry.where, "of"), what)
        generator = cast(PairGenerator, built.component)
        corpus = DescribedCorpus(
            source=generated,
            splitter_name=words.name,
            splitter=cast(Splitter, words.component),
            generator=generator,
            generated_by=generator.describe(built.name),
        )
        self.found.add(entry, corpus, {"generate": built.plain, "of": generated.of})

    def _words(self, where: Where) -> Built | None:
        written = (*where, "words")
        if written in self.parts.document.values:
            return self.builder.at("splitter", written)
        return self.builder.build("splitter", Use(use="words"), where)

    def _add(
        self,
        entry: NamedCorpus,
        source: Source | Split,
        words: Built,
        plain: dict[str, Any],
        reader: Built | None = None,
    ) -> None:
        splitter = cast(Splitter, words.component)
        gold = cast(GoldReader, reader.component) if reader else None
        corpus = DescribedCorpus(source, splitter.describe(words.name), splitter, gold)
        self.found.add(entry, corpus, plain)


def _is_single(value: object) -> bool:
    """Return whether it is a single corpus, which has other keys than a mapping of names."""
    if isinstance(value, dict):
        return not value.keys().isdisjoint({*keys_of(Source), *keys_of(Split)})
    return isinstance(value, str)


def _check_files(parts: Parts, where: Where, found_by: dict[str, Any]) -> None:
    """Add a problem for each file that isn't there, can't be read, or has another header."""
    for at, path in _paths(parts, where):
        whole = parts.document.path.parent / path
        if fault := _file_fault(whole):
            parts.problem(at, fault, error=InputError)
        elif found_by and whole.is_file():  # a pipe can be read only once, for its words
            from tokbench.corpora.entries import CountsHeader  # few configs wait for it

            try:
                CountsHeader.of(whole, CountsHeader(**found_by))
            except (InputError, UsageError) as error:
                parts.problem(at, str(error), error=type(error))


def _portable(path: Path) -> str:
    """Write a path as a config does, but of an absolute one only the name: results may travel."""
    return path.name if path.is_absolute() else path.as_posix()


def _paths(parts: Parts, where: Where) -> Iterator[tuple[Where, str]]:
    """List the paths of a corpus as they are written, whatever else is wrong with it."""
    value = parts.get(where)
    if isinstance(value, dict):
        where = (*where, "path")
        value = value.get("path")
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, list):
        yield from (((*where, i), path) for i, path in enumerate(value) if isinstance(path, str))


def _file_fault(path: Path) -> str | None:
    shown = os.path.normpath(path)
    try:
        mode, kind = path.stat().st_mode, no_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no file {shown}"
    except (OSError, ValueError) as error:
        return f"the file {shown} cannot be read: {error}"
    if stat.S_ISDIR(mode):
        return f"{shown} is a folder, expected a file"
    if kind:
        return f"{shown} is {kind}, expected a file"
    return None if os.access(path, os.R_OK) else f"the file {shown} cannot be read"
