"""The key `corpora` of a config: its keys, its checks, and the corpora that come of it."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from glob import has_magic
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from tokbench.api.component import Options, Use
from tokbench.api.files import no_file
from tokbench.config.components import Built, Info, Name
from tokbench.config.problems import Problem, WrittenAs, keys_of, refuse
from tokbench.corpora.opening import files_of
from tokbench.corpora.records import looks_like_vocabulary
from tokbench.corpora.source import DescribedCorpus, Generated, GoldSource, Source, Split
from tokbench.errors import InputError, TokbenchError
from tokbench.plugins import Registry

Role = Literal["train", "test", "lists", "gold", "pairs"]
SCORED: tuple[Role, ...] = ("test", "lists", "gold", "pairs")


def _from_files(role: Role, source: Source, info: Info) -> DescribedCorpus:
    """Return a corpus from files, which are looked for but not read beyond their beginning."""
    refuse(_meaningless(role, source))
    builder = info.context
    words = builder.build_in_config("splitter", source.words, "words")
    folder = builder.folder or Path()
    opened = tuple(folder / path for path in source.path)
    if isinstance(source, GoldSource) and "format" not in source.model_fields_set:
        recognised = _recognised(opened, builder.registry) if opened else "tsv"
        source = source.model_copy(update={"format": Use(use=recognised)})
    left_out = {name for name, only in _ONLY_OF.items() if role != only}
    plain = source.model_dump(mode="json", by_alias=True, exclude=left_out)
    # Results may travel, so of an absolute path only the name is kept.
    names = [path.name if path.is_absolute() else path.as_posix() for path in source.path]
    plain |= {"path": names, "words": words.plain}
    reader = None
    if isinstance(source, GoldSource):
        reader = builder.build_in_config("gold reader", source.format, "format")
        plain["format"] = reader.plain
    if builder.looks_for_files:
        faults = enumerate(map(_fault, opened))
        refuse(Problem(("path", n), fault, error=InputError) for n, fault in faults if fault)
    located = source.model_copy(update={"path": opened})
    gold = reader.component if reader else None
    parts: dict[str, Any] = {"gold": gold}
    if builder.looks_for_files and role in ("train", "test"):
        parts["looks"] = looks_like_vocabulary(located, builder.registry)
    return _corpus(located, plain, words, **parts)


def _corpus(
    source: Source | Split | Generated, plain: dict[str, Any], words: Built, **parts: Any
) -> DescribedCorpus:
    return DescribedCorpus(source, words.described, words.component, plain=plain, **parts)


_ONLY_OF = {"min_word_count": "train", "lines": "test"}
"""The keys that say something about corpora of one role only."""


def _meaningless(role: Role, source: Source) -> Iterator[Problem]:
    """Refuse keys and values that say nothing about a corpus of this role."""
    is_text = role in ("train", "test")
    of_texts = {"words", "documents", "lines", "field", *({"format"} if role != "gold" else ())}
    for name in source.model_fields_set:
        why = ""
        if name == "min_word_count" and role != "train":
            why = "only the training text can leave out rare words"
        elif name in of_texts and not is_text:
            why = "every line is one entry, never split"
        elif name == "lines" and role == "train":
            why = "only test texts have joined lines"
        elif name == "field" and source.format != "text":
            why = "only records and tables have fields"
        elif name == "lines" and source.lines != "apart" and source.format == "words":
            why = "a file of one word a line is no running text"
        if why:
            yield Problem((name.replace("_", "-"),), f"{why}: leave the key out", at_key=True)
    if role == "test" and source.format == "counts":
        what = "word counts have no lines to score: expected `text` or `words`"
        yield Problem(("format",), what)


def _recognised(paths: tuple[Path, ...], registry: Registry) -> str:
    """Return the format of a gold file by its name and first rows; no plugins of others are asked.

    `tsv` is asked first, since other readers may read its rows too.
    """
    from tokbench.corpora.entries import recognise_gold  # loads NumPy

    offers = [offer for offer in registry.offers if offer.kind == "gold reader"]
    names = (offer.name for offer in offers if not offer.plugin.is_foreign)
    readers: dict[str, Any] = {}
    for name in sorted(names, key=lambda name: (name != "tsv", name)):
        with suppress(TokbenchError):  # a config that names it gets the error
            readers[name] = registry.build("gold reader", Use(use=name))
    return recognise_gold(paths[0], readers)


def _fault(path: Path) -> str | None:
    """Say why a path does not lead to a file that can be read, if it does not."""
    shown = os.path.normpath(path)
    try:
        if path.is_dir() or (has_magic(str(path)) and not path.exists()):
            files_of(Path(shown))
            return None
        kind = no_file(path)
    except InputError as error:
        return str(error)
    except (FileNotFoundError, NotADirectoryError):
        return f"there is no file {shown}"
    except (OSError, ValueError) as error:
        return f"the file {shown} cannot be read: {error}"
    if kind:
        return f"{shown} is {kind}, expected a file"
    return None if os.access(path, os.R_OK) else f"the file {shown} cannot be read"


def _text(source: Source | Split, info: Info) -> DescribedCorpus:
    """Return a test text: from files, or a share of the training text, with its splitter."""
    if isinstance(source, Source):
        return _from_files("test", source, info)
    plain = source.model_dump(mode="json", by_alias=True)
    train: DescribedCorpus | None = info.data.get("train")
    if train:
        return replace(train, source=source, plain=plain)
    # Without a training text the config is refused later, together with other contradictions.
    return _corpus(source, plain, info.context.build_in_config("splitter", Use(use="words")))


def _by_name(value: Any) -> Any:
    """Return test texts by name, as they are written; a single one is called `test`."""
    keys = {*keys_of(Source), *keys_of(Split)}
    is_named = isinstance(value, dict) and value.keys().isdisjoint(keys)
    return value if is_named or isinstance(value, list) else {"test": value}


def _pairs(source: Source | Generated, info: Info) -> DescribedCorpus:
    """Return pairs of words: from files, or made from a test text."""
    if isinstance(source, Source):
        return _from_files("pairs", source, info)
    generator = info.context.build_in_config("pair generator", source.generate, "generate")
    words = info.context.build_in_config("splitter", Use(use="words"))
    plain = {"generate": generator.plain, "of": source.of}
    made_by = {"generator": generator.component, "generated_by": generator.described}
    return _corpus(source, plain, words, **made_by)


def _by_key(key: str, form: type[Options]) -> Discriminator:
    """Tell apart corpora from files and those of another form, by a key that only those have."""

    def name_of_form(value: object) -> str:
        return form.__name__ if isinstance(value, dict) and key in value else Source.__name__

    return Discriminator(name_of_form)


_Files = Annotated[Source, Tag("Source")]
_Share = Annotated[Split, Tag("Split")]
_Made = Annotated[Generated, Tag("Generated")]
_Train = Annotated[DescribedCorpus, WrittenAs(Source, partial(_from_files, "train"))]
_List = Annotated[DescribedCorpus, WrittenAs(Source, partial(_from_files, "lists"))]
_Gold = Annotated[DescribedCorpus, WrittenAs(GoldSource, partial(_from_files, "gold"))]
_FilesOrMade = Annotated[_Files | _Made, _by_key("generate", Generated)]
_FilesOrShare = Annotated[_Files | _Share, _by_key("split", Split)]
_Pairs = Annotated[DescribedCorpus, WrittenAs(_FilesOrMade, _pairs)]
_Text = Annotated[DescribedCorpus, WrittenAs(_FilesOrShare, _text)]
_Texts = Annotated[
    dict[Name, _Text],
    BeforeValidator(_by_name, json_schema_input_type=Source | Split | dict[Name, _Text]),
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
        description="gold segmentations by name, such as `word<TAB>un break able[, "
        "other]<TAB>category`",
    )
    pairs: dict[Name, _Pairs] = Field(
        default_factory=dict,
        description="changed words by name, `changed<TAB>original<TAB>kind` a line, or made by a "
        "generator: `{generate: keyboard, of: held-out}`",
    )

    @property
    def scored(self) -> dict[Role, dict[str, DescribedCorpus]]:
        """The corpora to score, by role and by name; roles without any are left out."""
        by_role = {role: getattr(self, role) for role in SCORED}
        return {role: by_name for role, by_name in by_role.items() if by_name}

    @property
    def has_counts(self) -> bool:
        """Whether the training text holds counts of words, in which there are no lines."""
        source = self.train and self.train.source
        return isinstance(source, Source) and source.format == "counts"

    @property
    def plain(self) -> dict[str, Any]:
        """The JSON form of all corpora."""
        plain: dict[str, Any] = {"train": self.train.plain} if self.train else {}
        for role, by_name in self.scored.items():
            plain[role] = {name: corpus.plain for name, corpus in by_name.items()}
        return plain
