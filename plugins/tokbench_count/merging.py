"""Add up files of counts that were made apart, in the order in which they are named."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokbench_commands.components import corpus

from tokbench.api import InputError, UsageError
from tokbench.commands import CountedPart, load
from tokbench_count.shards import Shard

if TYPE_CHECKING:
    from tokbench.commands.texts import CountsHeader


def merged(files: Sequence[Shard]) -> "tuple[CountsHeader, CountedPart, list[str]]":
    """Add up files of counts; return the header that all have, the sums, and warnings.

    Raises UsageError for files whose words were found in different ways, InputError for one
    without a header.
    """
    from tokbench.commands.texts import CountsHeader, count_part_of_text

    header: CountsHeader | None = None
    for file in files:
        if file.is_remote:
            raise UsageError(f"{file.name}: --merge reads files of this machine: copy it here")
        found = CountsHeader.of(Path(file.name), header)
        if found is None:
            raise InputError(
                f"{file.name}:1: found no header, which says how words were found: count again "
                "with `tokbench count`"
            )
        header = found
    assert header is not None  # a command has one input at least
    given = corpus(load(lazy=True), [Path(file.name) for file in files], None, ())
    source: Any = given.source  # a command names files, never a split
    source = source.model_copy(update={"format": "counts", "normalise": header.normalise})
    read = replace(given, source=source, splitter_name=header.words)
    return header, *count_part_of_text(read, 0)
