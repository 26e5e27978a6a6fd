"""Count shards one by one, and add their counts up; all values here can be sent to a worker."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tokbench_commands.components import corpus

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    BrokenPromiseError,
    CountedPart,
    DescribedCorpus,
    PluginError,
    load,
    merge_counts,
)
from tokbench_count.opening import opener
from tokbench_count.shards import Shard

ERRORS = (BrokenPromiseError, InputError, PluginError, UsageError)
"""The errors that a shard can cause."""


@dataclass(frozen=True)
class Treatment:
    """How words are found in all shards: the keys of a corpus, and the plugin files needed."""

    words: str | None
    normalise: tuple[str, ...]
    errors: str
    max_compression: int
    plugin_files: tuple[Path, ...]


@dataclass(frozen=True)
class CountedShards:
    """The counts of some shards, their warnings, and how many they are."""

    part: CountedPart
    warnings: tuple[tuple[int, str], ...]
    shards: int


@dataclass(frozen=True)
class FailedShard:
    """A shard that could not be counted, and why; `of_plugin` if a plugin failed or is missing."""

    shard: Shard
    reason: str
    of_plugin: bool = False


@cache
def described(treatment: Treatment) -> DescribedCorpus:
    """Describe a text of no file; raises UsageError for a splitter or step that nobody knows.

    Each process does so once: it loads all plugins.
    """
    registry = load(treatment.plugin_files, lazy=True)
    steps = (treatment.normalise, treatment.errors, treatment.max_compression)
    return corpus(registry, [Path()], treatment.words, *steps)


def count_shard(shard: Shard, treatment: Treatment) -> CountedShards | FailedShard:
    """Count the words of one shard; every error that it can cause is its own."""
    # Reading needs what help and wrong usage do not wait for.
    from tokbench.commands.texts import count_part_of_text

    text = described(treatment)
    source: Any = text.source  # a command names files, never a split
    text = replace(text, source=source.model_copy(update={"path": (Path(shard.name),)}))
    try:
        part, warnings = count_part_of_text(text, shard.number, opener(shard))
    except ERRORS as error:
        # A path has no two slashes, which addresses have.
        reason = str(error).replace(shard.place, shard.name)
        reason = reason.replace(str(Path(shard.name)), shard.name)
        return FailedShard(shard, reason, isinstance(error, PluginError))
    numbered = tuple((shard.number, warning) for warning in warnings)
    return CountedShards(part, numbered, 1)


def add_up(counted: Sequence[CountedShards]) -> CountedShards:
    """Add up the counts of several shards, in any order."""
    warnings = sorted(warning for one in counted for warning in one.warnings)
    shards = sum(one.shards for one in counted)
    return CountedShards(merge_counts([one.part for one in counted]), tuple(warnings), shards)


class Sum:
    """Adds up counts as they come, so that each word is added up few times."""

    def __init__(self) -> None:
        self._counted: list[CountedShards] = []

    def add(self, one: CountedShards) -> None:
        """Add the counts of some more shards; those of like size are added up at once."""
        counted = [*self._counted, one]
        while len(counted) > 1 and len(counted[-2].part.counts) <= 2 * len(counted[-1].part.counts):
            counted[-2:] = [add_up(counted[-2:])]
        self._counted = counted

    def total(self) -> CountedShards | None:
        """Return the sum; None if nothing was added."""
        return add_up(self._counted) if self._counted else None
