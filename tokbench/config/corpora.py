"""The key `corpora` of a config: its keys, its checks, and the corpora that come of it."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from tokbench.api.component import Options, Use
from tokbench.api.files import no_file
from tokbench.config.components import Built, Info
from tokbench.config.messages import WrittenAs, keys_of
from tokbench.config.names import Name
from tokbench.config.problems import Problem, refuse
from tokbench.corpora.source import DescribedCorpus, Generated, GoldSource, Source, Split
from tokbench.errors import InputError, UsageError

if TYPE_CHECKING:
    from tokbench.corpora.entries import CountsHeader

Role = Literal["train", "test", "lists", "gold", "pairs"]
SCORED: tuple[Role, ...] = ("test", "lists", "gold", "pairs")


@dataclass(frozen=True)
class CorpusEntry:
    """A corpus as its keys describe it, its JSON form, and the components that make words of it.

    A share of the training text has no `words` of its own: its splitter is that of the text.
    """

    source: Source | Split | Generated
    plain: dict[str, Any]
    words: Built | None = None
    reader: Built | None = None
    generator: Built | None = None

    def corpus(self, training_words: Built | None) -> DescribedCorpus:
        """Return the corpus, a share of the training text with the splitter of that."""
        words = self.words or training_words
        assert words is not None  # contradictions() refuses a share of no text
        return DescribedCorpus(
            source=self.source,
            splitter_name=words.described,
            splitter=words.component,
            gold=self.reader.component if self.reader else None,
            generator=self.generator.component if self.generator else None,
            generated_by=self.generator.described if self.generator else "",
        )


def _by_key(key: str, form: type[Options]) -> Discriminator:
    """Tell apart corpora from files and those of another form, by a key that only those have."""

    def name_of_form(value: object) -> str:
        other = isinstance(value, dict) and key in value
        return form.__name__ if other else Source.__name__

    return Discriminator(name_of_form)


def _alone(value: object) -> str:
    """Return the form of a single test text, `names` for texts by name."""
    if isinstance(value, dict) and "split" in value:
        return Split.__name__
    named = isinstance(value, dict) and value.keys().isdisjoint({*keys_of(Source), *keys_of(Split)})
    return "names" if named or isinstance(value, list) else Source.__name__


def _from_files(role: Role, source: Source, info: Info) -> CorpusEntry:
    """Return a corpus from files, which are looked for but not read."""
    refuse(_meaningless(role, source))
    builder = info.context
    words = builder.build_in_config("splitter", source.words, "words")
    reader = None
    if isinstance(source, GoldSource):
        reader = builder.build_in_config("gold reader", source.format, "format")
    folder = builder.folder or Path()
    opened = tuple(folder / path for path in source.path)
    if builder.looks_for_files:
        header = None
        if role == "train" and source.format == "counts":
            from tokbench.corpora.entries import CountsHeader  # few configs wait for it

            header = CountsHeader(words=words.described, normalise=source.normalise)
        refuse(_wrong_files(opened, header))
    plain = _plain(role, source, words, reader)
    return CorpusEntry(source.model_copy(update={"path": opened}), plain, words, reader)


def _plain(role: Role, source: Source, words: Built, reader: Built | None) -> dict[str, Any]:
    """Return the JSON form of a corpus, without the keys that say nothing about it."""
    left_out = {"min_word_count"} if role != "train" else set[str]()
    if role != "test":
        left_out.add("lines")
    plain = source.model_dump(mode="json", by_alias=True, exclude=left_out)
    plain |= {"path": [_portable(path) for path in source.path], "words": words.plain}
    if reader:
        plain["format"] = reader.plain
    return plain


def _meaningless(role: Role, source: Source) -> Iterator[Problem]:
    """Refuse keys and values that say nothing about a corpus of this kind."""
    written = source.model_fields_set

    def refused(field: str, why: str) -> Problem:
        return Problem((field.replace("_", "-"),), f"{why}: leave the key out", at_key=True)

    if role != "train" and "min_word_count" in written:
        yield refused("min_word_count", "only the training text can leave out rare words")
    if role == "train" and "lines" in written:
        yield refused("lines", "only test texts have joined lines")
    if role in ("lists", "gold", "pairs"):
        of_texts = ("words", "documents", "lines", *["format"] * (role != "gold"))
        for field in written.intersection(of_texts):
            yield refused(field, "every line is one entry, never split")
    elif role == "test" and source.format == "counts":
        what = "word counts have no lines to score: expected `text` or `words`"
        yield Problem(("format",), what)
    elif source.lines == "joined" and source.format == "words":
        what = "a file of one word a line is no running text: leave the key out"
        yield Problem(("lines",), what)


def _wrong_files(paths: tuple[Path, ...], header: "CountsHeader | None") -> Iterator[Problem]:
    """Refuse each file that isn't there, can't be read, or whose counts are of other words."""
    for number, path in enumerate(paths):
        if fault := _file_fault(path):
            yield Problem(("path", number), fault, error=InputError)
        elif header and path.is_file():  # a pipe can be read only once, for its words
            try:
                header.of(path, header)
            except (InputError, UsageError) as error:
                yield Problem(("path", number), str(error), error=type(error))


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


def _portable(path: Path) -> str:
    """Write a path as a config does, but of an absolute one only the name: results may travel."""
    return path.name if path.is_absolute() else path.as_posix()


def _text(source: Source | Split, info: Info) -> CorpusEntry:
    """Return a test text: from files, or a share of the training text."""
    if isinstance(source, Source):
        return _from_files("test", source, info)
    return CorpusEntry(source, source.model_dump(mode="json", by_alias=True))


def _texts(value: Source | Split | dict[str, CorpusEntry], info: Info) -> dict[str, CorpusEntry]:
    """Return test texts by name; a single one is called `test`."""
    return value if isinstance(value, dict) else {"test": _text(value, info)}


def _pairs(source: Source | Generated, info: Info) -> CorpusEntry:
    """Return pairs of words: from files, or made from a test text."""
    if isinstance(source, Source):
        return _from_files("pairs", source, info)
    generator = info.context.build_in_config("pair generator", source.generate, "generate")
    words = info.context.build_in_config("splitter", Use(use="words"))
    plain = {"generate": generator.plain, "of": source.of}
    return CorpusEntry(source, plain, words, generator=generator)


_Corpus = Annotated[Source, Tag("Source")]
_Share = Annotated[Split, Tag("Split")]
_Made = Annotated[Generated, Tag("Generated")]
_Train = Annotated[CorpusEntry, WrittenAs(Source, partial(_from_files, "train"))]
_List = Annotated[CorpusEntry, WrittenAs(Source, partial(_from_files, "lists"))]
_Gold = Annotated[CorpusEntry, WrittenAs(GoldSource, partial(_from_files, "gold"))]
_FilesOrMade = Annotated[_Corpus | _Made, _by_key("generate", Generated)]
_FilesOrShare = Annotated[_Corpus | _Share, _by_key("split", Split)]
_Pairs = Annotated[CorpusEntry, WrittenAs(_FilesOrMade, _pairs)]
_Text = Annotated[CorpusEntry, WrittenAs(_FilesOrShare, _text)]
_ByName = Annotated[dict[Name, _Text], Tag("names")]
_Texts = Annotated[
    dict[str, CorpusEntry],
    WrittenAs(Annotated[_Corpus | _Share | _ByName, Discriminator(_alone)], _texts),
]


class CorporaKeys(Options):
    """The corpora: one to learn from, the others to score."""

    train: _Train | None = Field(
        None, description="the text that all systems learn from; ready-made ones need none"
    )
    test: _Texts = Field(
        default_factory=dict,
        description="held-out texts by name; or a single one, whose name is then `test`",
    )
    lists: dict[Name, _List] = Field(
        default_factory=dict, description="word lists by name, `word<TAB>category` a line"
    )
    gold: dict[Name, _Gold] = Field(
        default_factory=dict,
        description="gold segmentations by name, `word<TAB>un break able[, other]<TAB>category` by "
        "default",
    )
    pairs: dict[Name, _Pairs] = Field(
        default_factory=dict,
        description="changed words by name, `changed<TAB>original<TAB>kind` a line, or made by a "
        "generator: `{generate: keyboard, of: held-out}`",
    )

    @property
    def scored(self) -> dict[Role, dict[str, CorpusEntry]]:
        """The corpora to score, by key and by name; keys without any are left out."""
        entries = {role: getattr(self, role) for role in SCORED}
        return {role: by_name for role, by_name in entries.items() if by_name}

    @property
    def described(self) -> dict[Role, dict[str, DescribedCorpus]]:
        """The corpora to score, by key and by name."""
        words = self.train.words if self.train else None
        return {
            role: {name: entry.corpus(words) for name, entry in getattr(self, role).items()}
            for role in SCORED
        }

    @property
    def has_counts(self) -> bool:
        """Whether the training text holds counts of words, in which there are no lines."""
        source = self.train and self.train.source
        return isinstance(source, Source) and source.format == "counts"

    @property
    def plain(self) -> dict[str, Any]:
        """The JSON form of all corpora."""
        plain: dict[str, Any] = {"train": self.train.plain} if self.train else {}
        for role, entries in self.scored.items():
            plain[role] = {name: entry.plain for name, entry in entries.items()}
        return plain
