"""The corpora of a config: what they are called, where they are, how their words are found."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from tokbench.api import Splitter
from tokbench.api.component import Use
from tokbench.config.components import Builder, Built
from tokbench.config.experiment import Corpus
from tokbench.config.files import check_files, portable
from tokbench.config.models import CorporaKeys, named
from tokbench.config.options import keys_of
from tokbench.config.parts import Parts
from tokbench.config.problems import Where
from tokbench.corpora import Source, Split

Key = Literal["train", "test", "lists", "gold"]
SCORED: tuple[Key, ...] = ("test", "lists", "gold")
MIN_WORD_COUNT = "min-word-count"


@dataclass(frozen=True)
class Entry:
    """One corpus of a config: under which key, by which name, where."""

    key: Key
    name: str
    where: Where


@dataclass
class CorporaPart:
    """The corpora by key and name, and the JSON form of them all."""

    by_key: dict[Key, dict[str, Corpus]] = field(
        default_factory=lambda: {"train": {}, "test": {}, "lists": {}, "gold": {}}
    )
    plain: dict[str, Any] = field(default_factory=dict)

    def add(self, entry: Entry, corpus: Corpus, plain: dict[str, Any]) -> None:
        """Add a corpus; the training corpus stands alone under its key, the others by name."""
        self.by_key[entry.key][entry.name] = corpus
        if entry.key == "train":
            self.plain[entry.key] = plain
        else:
            self.plain.setdefault(entry.key, {})[entry.name] = plain


class CorporaReader:
    """Checks `corpora`; what is wrong goes to the problems of `parts`, what is right is given."""

    def __init__(self, parts: Parts, builder: Builder) -> None:
        self.parts = parts
        self.builder = builder
        self.found = CorporaPart()

    def read(self) -> CorporaPart:
        """Give the corpora that can be used; files are looked for but not read."""
        if ("corpora",) not in self.parts.document.values:
            return self.found
        given = self.parts.keys(("corpora",), CorporaKeys)
        if given and not any(given.get(key) for key in SCORED):
            self.parts.problem(("corpora",), "nothing to score: add `test`, `lists` or `gold`")
        train_words = None
        if "train" in given:
            train_words = self._source(Entry("train", "train", ("corpora", "train")))
        scored = [entry for key in SCORED if given.get(key) for entry in self._entries(key)]
        self._check_names(scored)
        for entry in scored:
            if entry.key == "test" and _is_split(self.parts.get(entry.where)):
                self._split(entry, train_words)
            else:
                self._source(entry)
        return self.found

    def _entries(self, key: Key) -> Iterator[Entry]:
        where: Where = ("corpora", key)
        if key == "test" and _is_single(self.parts.get(where)):
            yield Entry(key, "test", where)
            return
        for name in self.parts.mapping(where) or {}:
            yield Entry(key, name, (*where, name))

    def _check_names(self, entries: list[Entry]) -> None:
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

    def _source(self, entry: Entry) -> Built | None:
        """Check a corpus from files; give its splitter."""
        words = self._words(entry.where)
        source = self.parts.checked(Source, entry.where)
        check_files(self.parts, entry.where)
        self._check_meaning(entry)
        if isinstance(source, Source) and words:
            folder = self.parts.document.path.parent
            plain = source.model_dump(mode="json", by_alias=True)
            if entry.key != "train":
                del plain[MIN_WORD_COUNT]
            plain |= {"path": [portable(path) for path in source.path], "words": words.plain}
            opened = tuple(folder / path for path in source.path)
            self._add(entry, source.model_copy(update={"path": opened}), words, plain)
        return words

    def _check_meaning(self, entry: Entry) -> None:
        """Refuse keys and values that say nothing about a corpus of this kind."""
        rare = (*entry.where, MIN_WORD_COUNT)
        if entry.key != "train" and rare in self.parts.document.values:
            what = "only the training text can leave out rare words: leave the key out"
            self.parts.problem(rare, what, at_key=True)
        if entry.key in ("lists", "gold"):
            for key in ("format", "words", "documents"):
                if (*entry.where, key) in self.parts.document.values:
                    what = "every line is one entry, never split: leave the key out"
                    self.parts.problem((*entry.where, key), what, at_key=True)
        elif entry.key == "test" and self.parts.get((*entry.where, "format")) == "counts":
            what = "word counts have no lines to score: expected `text` or `words`"
            self.parts.problem((*entry.where, "format"), what)

    def _split(self, entry: Entry, words: Built | None) -> None:
        """Check a corpus that is a share of another."""
        split = self.parts.checked(Split, entry.where)
        if self.parts.get(("corpora", "train", "format")) == "counts":
            what = "the training text holds word counts, which have no lines to draw"
            self.parts.problem(entry.where, what)
        if isinstance(split, Split) and words:
            self._add(entry, split, words, split.model_dump(mode="json", by_alias=True))

    def _words(self, where: Where) -> Built | None:
        written = (*where, "words")
        if written in self.parts.document.values:
            return self.builder.at("splitter", written)
        return self.builder.build("splitter", Use(use="words"), where)

    def _add(
        self, entry: Entry, source: Source | Split, words: Built, plain: dict[str, Any]
    ) -> None:
        splitter = cast(Splitter, words.component)
        corpus = Corpus(source, splitter.describe(words.name), splitter)
        self.found.add(entry, corpus, plain)


def _is_split(value: object) -> bool:
    return isinstance(value, dict) and "split" in value


def _is_single(value: object) -> bool:
    """Tell a single corpus from a mapping of names: by the keys that only a corpus has."""
    if isinstance(value, dict):
        return not value.keys().isdisjoint({*keys_of(Source), *keys_of(Split)})
    return isinstance(value, str)
