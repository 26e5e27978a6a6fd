"""Count files one by one, and add their counts up; all values here can be sent to a worker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokbench_commands.components import corpus

from tokbench.api import CountedWords, InputError, UsageError
from tokbench.commands import BrokenPromiseError, DescribedCorpus, PluginError, Shard, load, opener

if TYPE_CHECKING:
    from tokbench.commands.texts import CountsHeader

ERRORS = (BrokenPromiseError, InputError, PluginError, UsageError)
"""The errors that a file can cause."""


@dataclass(frozen=True)
class Treatment:
    """How words are found in all files: the keys of a corpus, and the plugin files needed."""

    words: str | None
    normalise: tuple[str, ...]
    errors: str
    plugin_files: tuple[Path, ...]


@dataclass(frozen=True)
class FailedFile:
    """A file that could not be counted, and why; `of_plugin` if a plugin failed or is missing."""

    shard: Shard
    reason: str
    of_plugin: bool = False


@dataclass(frozen=True)
class CountedFiles:
    """The counts of some files that follow one another, and what could not be counted."""

    words: CountedWords
    warnings: tuple[str, ...] = ()
    files: int = 0
    failed: tuple[FailedFile, ...] = ()


NOTHING = CountedFiles(CountedWords.of({}))


@cache
def described(treatment: Treatment) -> DescribedCorpus:
    """Describe a text of no file; raises UsageError for a splitter or step that nobody knows.

    Each process does so once: it loads all plugins.
    """
    registry = load(treatment.plugin_files, lazy=True)
    steps = treatment.normalise, treatment.errors
    return corpus(registry, [Path()], treatment.words, *steps)


def count_shard(shard: Shard, treatment: Treatment) -> CountedFiles:
    """Count the words of one file; every error that it can cause is its own."""
    # Reading needs what help and wrong usage do not wait for.
    from tokbench.commands.texts import count_text

    text = described(treatment)
    source: Any = text.source  # a command names files, never a split
    text = replace(text, source=source.model_copy(update={"path": (Path(shard.name),)}))
    try:
        words, warnings = count_text(text, opener(shard))
    except ERRORS as error:
        # A path has no two slashes, which addresses have.
        reason = str(error).replace(shard.place, shard.name)
        reason = reason.replace(str(Path(shard.name)), shard.name)
        failed = FailedFile(shard, reason, isinstance(error, PluginError))
        return replace(NOTHING, failed=(failed,))
    return CountedFiles(words, tuple(warnings), 1)


def add_up(parts: Sequence[CountedFiles]) -> CountedFiles:
    """Add up the counts of parts that follow one another."""
    from tokbench.commands.texts import add_up as add_up_words

    return CountedFiles(
        add_up_words([part.words for part in parts]),
        tuple(warning for part in parts for warning in part.warnings),
        sum(part.files for part in parts),
        tuple(failed for part in parts for failed in part.failed),
    )


class Sum:
    """Adds up counts in the order of the text, so that each word is added up few times."""

    def __init__(self) -> None:
        self._parts: list[CountedFiles] = []

    def add(self, part: CountedFiles) -> None:
        """Add the counts of the next files; those of like size are added up at once."""
        parts = [*self._parts, part]
        while len(parts) > 1 and len(parts[-2].words) <= 2 * len(parts[-1].words):
            parts[-2:] = [add_up(parts[-2:])]
        self._parts = parts

    def total(self) -> CountedFiles:
        """Return the sum."""
        return add_up(self._parts) if self._parts else NOTHING


def merge(files: Sequence[Shard]) -> "tuple[CountsHeader, CountedWords, list[str]]":
    """Add up files of counts in their order; return the header that all have, and warnings.

    Raises UsageError for files whose words were found in different ways, InputError for one
    without a header.
    """
    from tokbench.commands.texts import CountsHeader, count_text

    header: CountsHeader | None = None
    for file in files:
        if file.is_remote:
            raise UsageError(f"{file.name}: --merge reads files of this machine: copy it here")
        header_of_file = CountsHeader.of(Path(file.name), header)
        if header_of_file is None:
            raise InputError(
                f"{file.name}:1: found no header, which says how words were found: count again "
                "with `tokbench count`"
            )
        header = header_of_file
    assert header is not None  # a command has one input at least
    text = corpus(load(lazy=True), [Path(file.name) for file in files], None, ())
    source: Any = text.source  # a command names files, never a split
    source = source.model_copy(update={"format": "counts", "normalise": header.normalise})
    return header, *count_text(replace(text, source=source, splitter_name=header.words))
