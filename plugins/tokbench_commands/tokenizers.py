"""A tokenizer as commands are given one: a vocabulary, a model, a name, or a system of a run."""

import json
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click
from pydantic import ValidationError

from tokbench.api import (
    InputError,
    Learner,
    Size,
    SizeError,
    SourceFile,
    Splitter,
    UsageError,
    Vocabulary,
)
from tokbench.commands import (
    Registry,
    Use,
    checked,
    core,
    read_path,
    run_folder,
    run_plugin_code,
    tokenizer_in,
)
from tokbench.interchange import recognise
from tokbench.printing import closest
from tokbench_commands.shared import (
    build,
    component_options,
    read_file,
    read_run,
    read_use,
    reading,
)

STDIN = "-"
TOKENIZER = (
    "VOCABULARY is the JSON of `tokbench learn` or `import` (- for standard input), a file of a "
    "ready-made tokenizer, such as a tokenizer.json or a SentencePiece model, the name of one, "
    "such as gpt2, or a system of a run: RUN:SYSTEM@SIZE."
)
"""What stands in the help of each command that is given one."""

learner_options = component_options(
    "An option of the learner that loads a ready-made tokenizer: -O pattern=cl100k."
)

size_option = click.option(
    "--size",
    metavar="N",
    help="Cut the vocabulary to N tokens, or to N learned items: merges:N.",
)


class NamedVocabulary(NamedTuple):
    """A vocabulary as it was found.

    For a system of a run, `segmenter` cuts words, `splitter` cuts them into pieces before, and
    `words` and `normalise` are how the training text was treated.
    """

    name: str
    vocabulary: Vocabulary
    segmenter: Use | None = None
    splitter: Use | None = None
    words: Use | None = None
    normalise: Sequence[object] = ()


@dataclass(frozen=True)
class Tokenizer:
    """A segmenter bound to the vocabulary that was found; errors call it `where`."""

    source: NamedVocabulary
    where: str
    bound: "core.BoundSegmenter"
    splitter: Splitter | None

    @property
    def name(self) -> str:
        """The name of its vocabulary."""
        return self.source.name

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary."""
        return self.bound.vocabulary


def find_tokenizer(
    registry: Registry,
    written: str,
    options: Mapping[str, Any],
    segmenter: Use | None = None,
    size: str | None = None,
) -> Tokenizer:
    """Find the one vocabulary that is written, and bind it to a segmenter, else to its own."""
    return bind(registry, find_vocabulary(registry, written, options, size), segmenter)


def find_vocabulary(
    registry: Registry, written: str, options: Mapping[str, Any], size: str | None = None
) -> NamedVocabulary:
    """Find the one vocabulary that is written; raises UsageError where it could be several."""
    vocabularies = find_vocabularies(registry, written, options, (), size)
    if len(vocabularies) > 1:
        run = written.removesuffix(":")
        names = ", ".join(f"{run}:{vocabulary.name}" for vocabulary in vocabularies[:5])
        many = len(vocabularies)
        raise UsageError(f"{run}: a run of {many} systems: name one, such as {names}")
    return vocabularies[0]


def find_vocabularies(
    registry: Registry,
    written: str,
    options: Mapping[str, Any],
    systems: Sequence[str] = (),
    size: str | None = None,
) -> list[NamedVocabulary]:
    """Find what is written; of a run all systems, or those that are named, at one size each.

    Raises UsageError for what is not there, with what there is.
    """
    if not written:
        raise UsageError("VOCABULARY is empty: give a file, a run, or a name such as gpt2")
    path = read_path(written)
    run, system = (written, "") if path.is_dir() else _of_run(written)
    if run:
        if options:
            raise UsageError(f"{run}: a run takes no -O")
        if system and systems:
            raise UsageError(f"{written} names a system already: leave out --system")
        with reading(Path(run)):
            return [*_systems(run, systems or [*filter(None, [system])], size)]
    if systems:
        raise UsageError(f"--system names systems of a run, but {written} is none")
    if written == STDIN:
        vocabulary = _own(registry, SourceFile("<stdin>", sys.stdin.buffer.read()))
    elif path.exists() or path.suffix or path.name != written:
        vocabulary = _load(registry, path, options)
    else:
        vocabulary = _ready_made(registry, written, options)
    if size is not None:
        vocabulary = _cut(vocabulary, written, size)
    return [NamedVocabulary(written, vocabulary)]


def bind(registry: Registry, source: NamedVocabulary, segmenter: Use | None = None) -> Tokenizer:
    """Bind a vocabulary to a segmenter, else to that of its run, else to the one that it names.

    The segmenter loads what it needs, so that it fails before any text is read. Raises UsageError
    where one that was asked for cannot cut the vocabulary, else TokbenchError, naming this.
    """
    name, vocabulary, use = source.name, source.vocabulary, segmenter or source.segmenter
    splitter = build(registry, "splitter", source.splitter) if source.splitter else None
    if use is not None:
        segmenter_name, built = use.use, build(registry, "segmenter", use)
    elif "use" not in vocabulary.segmenter:
        raise UsageError(f"{name} names no segmenter: give one with --segmenter")
    else:
        with run_plugin_code(f"{name}: its segmenter"):
            try:
                segmenter_name, built = registry.segmenter_of(vocabulary)
            except ValidationError as error:
                wrong = f"{error.error_count()} wrong options in {dict(vocabulary.segmenter)!r}"
                raise InputError(f"{name}: its segmenter cannot be built: {wrong}") from None
    bound, where = core.BoundSegmenter(built, vocabulary), f"segmenter {segmenter_name}"
    try:
        with run_plugin_code(where):
            _ = bound.prepared
    except InputError as error:
        if segmenter is None:
            raise
        raise UsageError(str(error)) from None
    return Tokenizer(source, where, bound, splitter)


def _of_run(written: str) -> tuple[str, str]:
    """Read RUN:SYSTEM; the name of a folder or of a system may hold a colon too."""
    places = (place for place, letter in enumerate(written) if letter == ":")
    splits = ((written[:place], written[place + 1 :]) for place in places)
    return next(((run, system) for run, system in splits if Path(run).is_dir()), ("", ""))


def _systems(folder: str, wanted: Sequence[str], size: str | None) -> Iterator[NamedVocabulary]:
    """Yield systems of a run at a size, by default the largest; all, if none is wanted by name."""
    try:
        run = read_run(Path(folder))
    except UsageError as error:
        hint = f"; with files of a tokenizer give its name, such as gpt2 -O folder={folder}"
        raise UsageError(f"{error}{tokenizer_in(Path(folder)) or hint}") from None
    train = run.record.resolved["corpora"].get("train") or {}
    configs = {system["name"]: system for system in run.record.resolved["systems"]}
    sizes: dict[str, list[str]] = {}
    for outcome in run.record.outcomes:
        sizes.setdefault(outcome.system, []).append(outcome.size)
    for written in wanted or sizes:
        name, at = run_folder.SystemSize.parse(written)
        if name not in sizes:
            there = f"{_there(sizes)}{_meant(written, sizes)}"
            raise UsageError(f"{folder}: no system {written!r} has a result; {there}")
        if at and size:
            raise UsageError(f"{written} names a size already: leave out --size")
        asked = None if sizes[name] == [""] and not wanted else at or size
        label = _label(sizes[name], asked, f"{folder}: system {name}")
        config = configs[name]
        yield NamedVocabulary(
            str(run_folder.SystemSize(name, label)),
            run.vocabulary(name, label),
            _use(config.get("segmenter")),
            _use(config.get("split")),
            _use(train.get("words")),
            train.get("normalise", ()),
        )


def _use(written: object) -> Use | None:
    return checked(Use, written) if written else None


def _there(names: Iterable[str]) -> str:
    return f"there are: {', '.join(names) or 'none'}"


def _label(sizes: Sequence[str], asked: str | None, where: str) -> str:
    """Return the size of a system that is asked for, as results spell it."""
    if asked is None:
        return sizes[-1]
    if asked not in sizes and f"merges:{asked}" not in sizes:
        there = "it has one only" if sizes == [""] else _there(dict.fromkeys(sizes))
        raise UsageError(f"{where} has no size {asked}; {there}")
    return asked if asked in sizes else f"merges:{asked}"


def _load(registry: Registry, path: Path, options: Mapping[str, Any]) -> Vocabulary:
    """Read a vocabulary, or have the learner that reads such a file load it."""
    if reader := reader_of(registry, path):
        return _loaded(registry, reader, options, f"{path}: ")
    if options:
        raise UsageError(f"{path}: a vocabulary of tokbench takes no -O")
    return _own(registry, read_file(path))


def reader_of(registry: Registry, path: Path) -> Use | None:
    """Return the learner that reads the file of a ready-made tokenizer; None where none does."""
    look = recognise(read_file(path).data, registry)
    if look is None or not look.readers or "use: vocabulary" in look.readers[0]:
        return None
    # A format says as a config would write it how its files are read.
    reader = look.readers[0].replace("...", json.dumps(str(path), ensure_ascii=False))
    return read_use(reader, f"{path}:")


def _own(registry: Registry, source: SourceFile) -> Vocabulary:
    # Help needs no plugin.
    from tokbench_ready_made.vocabulary import read_own

    return read_own(source, registry)


def _ready_made(registry: Registry, name: str, options: Mapping[str, Any]) -> Vocabulary:
    """Load the tokenizer of a learner that reads no text."""
    learners = registry.names("learner")
    if name not in learners:
        hint = _meant(name, learners)
        raise UsageError(f"{name}: no such file, run or ready-made tokenizer{hint}")
    return _loaded(registry, Use(use=name), options, "")


def _meant(written: str, names: Collection[str]) -> str:
    """Ask for the name that is spelled alike, or begins so; nothing where there is none."""
    begun = (name for name in names if name.lower().startswith(written.lower()))
    near = closest(written, names) or next(begun, None)
    return f"; did you mean {near!r}?" if near else ""


def _loaded(registry: Registry, use: Use, options: Mapping[str, Any], where: str) -> Vocabulary:
    name = use.use
    learner: Learner = build(registry, "learner", use, options)
    with run_plugin_code(f"{where}learner {name}"):
        if learner.reads != "nothing":
            raise UsageError(
                f"{name}: this learner reads {learner.reads}: give the vocabulary that it learned"
                f" (`tokbench learn --learner {name}`)"
            )
        return core.learn(learner, core.TrainingText({}, ()), None)


def _cut(vocabulary: Vocabulary, where: str, asked: str) -> Vocabulary:
    """Cut a vocabulary to a size; raises UsageError for one that it does not have."""
    try:
        size = Size.parse(asked)
    except ValueError as error:
        raise UsageError(f"--size: {error}") from None
    if not vocabulary.learned:
        raise UsageError(
            f"{where}: has one size only, {vocabulary.size}: nothing in it was learned"
        )
    most = len(vocabulary.learned) if size.prefix else vocabulary.size
    if size.number > most:
        raise UsageError(f"{where}: has no size {asked}; the largest is {size.prefix}{most}")
    try:
        return vocabulary.cut(size)
    except SizeError as error:
        least = f"{size.prefix}{error.minimum}"
        raise UsageError(f"{where}: has no size {asked}; the smallest is {least}") from None
