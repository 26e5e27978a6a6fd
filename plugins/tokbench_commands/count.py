"""`tokbench count`: the words of texts of any size in one file, which configs read as counts.

Files are counted one by one, and their counts added up. `count_dask` sends `count_shard` and its
values to workers.
"""

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tokbench.api import InputError, UsageError
from tokbench.api.arrays import CountedWords
from tokbench.commands import (
    PATH,
    Address,
    BrokenPromiseError,
    PluginError,
    Registry,
    connected,
    core,
    is_address,
    load,
    plugin_option,
    say,
    shards_of,
    showing_progress,
    telling,
)
from tokbench.printing import PUNCTUATION_COUNTS, counted, printable
from tokbench_commands.shared import (
    OF_TEXTS,
    Treatment,
    check_absent,
    corpus,
    treatment_options,
    write_files,
)

FAILED = 1
"""The exit code where some files were left out."""
SHOWN = 20
"""Files that failed, and warnings, that are printed; there may be thousands."""
LINES = 1000
"""Lines that are compressed at once."""
ERRORS = (BrokenPromiseError, InputError, PluginError, UsageError)
"""The errors that a file can cause."""


@click.command()
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=PATH,
    required=True,
    help="The file to write, which must not exist; gzipped if its name ends in .gz.",
)
@treatment_options
@click.option("--merge", is_flag=True, help="INPUT are counts: add them up, in this order.")
@click.option(
    "--dask",
    metavar="ADDRESS",
    help="Count on the workers of this Dask scheduler (tcp://HOST:PORT), or of this machine"
    " (local).",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="With --dask local: how many workers [default: one for each processor].",
)
@click.option("--skip-failed", is_flag=True, help="Leave out files that cannot be counted.")
@plugin_option
@click.pass_context
def command(
    ctx: click.Context,
    inputs: tuple[str, ...],
    output: Path,
    treatment: Treatment,
    merge: bool,
    dask: str | None,
    workers: int | None,
    skip_failed: bool,
    plugin_files: tuple[Path, ...],
) -> int:
    """Count the words of texts once; configs read the counts as training text (format: counts).

    INPUT is a file of any kind that configs read, a folder, a pattern such as 'texts/*.txt.gz', or
    an address such as s3://bucket/a.txt. Words stand in the order in which they first occur.

    Exit codes: 0 done, 1 done without the files that --skip-failed left out, 3 a splitter failed
    or a package is missing, 4 a file cannot be read: all such files are named, and nothing is
    written.
    """
    _check_output(output)
    if workers is not None and dask != "local":
        raise UsageError("--workers goes with --dask local")
    default = ParameterSource.DEFAULT
    # These say how texts are counted, which `--merge` does not do.
    of_counting = (*OF_TEXTS, "dask", "skip_failed")
    options = [name for name in of_counting if ctx.get_parameter_source(name) != default]
    if merge and options:
        option = f"--{options[0].replace('_', '-')}"
        raise UsageError(f"--merge adds up what was counted: leave out {option}")
    shards = shards_of(inputs)
    if merge:
        with showing_progress(False, False) as progress:
            progress("adding up")
            header, total, warnings = _merge(shards)
            _warn(warnings)
            progress("writing", 1.0)
            _write(output, header, total, len(shards))
        return 0
    plugins = tuple(path.resolve() for path in plugin_files)
    treatment = treatment._replace(plugin_files=plugins)
    text = corpus(_registry(plugins), [], treatment)
    with showing_progress(False, False) as progress:
        if dask is None:
            totals = _count_here(shards, treatment, progress, progress.read)
        else:
            from tokbench_commands.count_dask import count_on

            progress("connecting to Dask", 0)
            with connected(dask, workers) as client:
                totals = count_on(client, shards, treatment, progress)
        if shards[1:]:
            for failure in totals.failed[:SHOWN]:
                say(f"failed: {failure.reason}")
        if totals.failed and not (skip_failed and totals.files):
            raise _not_counted(totals.failed, len(shards))
        _warn(totals.warnings)
        if not totals.words:
            more = f" and {len(shards) - 1:,} more" if shards[1:] else ""
            raise InputError(f"{shards[0]}{more}: found no words")
        source: Any = text.source  # a command names files, never a split
        header = core.CountsHeader(words=text.splitter_name, normalise=source.normalise)
        progress("writing", 1.0)
        _write(output, header, totals.words, totals.files)
    if totals.failed:
        say(f"warning: {len(totals.failed):,} of {len(shards):,} files are left out")
    return FAILED if totals.failed else 0


def _count_here(
    shards: Sequence[str],
    treatment: "Treatment",
    progress: Callable[[str, float], None],
    read: Callable[[int], None],
) -> "CountedFiles":
    """Count files one by one; what `read` is called with are the bytes that were read."""
    counter, parts = core.WordCounter(), list[CountedFiles]()
    for number, shard in enumerate(shards):
        progress(f"counting file {number + 1:,} of {len(shards):,}", number / len(shards))
        with telling(read):
            part = count_shard(shard, treatment)
        counter.add_counts(part.words)
        parts.append(replace(part, words=NOTHING.words))
    return replace(add_up(parts), words=counter.words())


def _not_counted(failed: "Sequence[FailedFile]", of: int) -> InputError | PluginError:
    """Build the error that nothing is written, since some files could not be counted."""
    kind = PluginError if all(failure.of_plugin for failure in failed) else InputError
    if of == 1:
        return kind(failed[0].reason)
    return kind(
        f"{len(failed):,} of {of:,} files could not be counted: nothing was written; --skip-failed "
        "leaves them out"
    )


def _check_output(output: Path) -> None:
    """Find out before counting that the file can be written, as far as one can know."""
    check_absent(output)
    if output.suffix in (".zst", ".bz2", ".xz", ".zip"):
        raise UsageError(f"{output}: counts are gzipped: expected a name such as words.tsv.gz")
    folder = next(folder for folder in output.absolute().parents if folder.exists())
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise InputError(f"{output}: cannot be written: {folder} is no folder that can be written")


def _write(output: Path, header: "core.CountsHeader", words: CountedWords, files: int) -> None:
    lines = header.lines(words)
    write_files({output: _gzipped(lines) if output.suffix == ".gz" else lines})
    running = f"{counted(sum(words.counts), 'word')}, {len(words):,} distinct"
    note = f" ({PUNCTUATION_COUNTS})" if header.words.partition(".")[0] == "words" else ""
    click.echo(f"{printable(str(output))}: {running}, of {counted(files, 'file')}{note}")


def _gzipped(lines: Iterator[bytes]) -> Iterator[bytes]:
    """Compress lines; the same lines always give the same bytes, without a time or a name."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    while batch := b"".join(islice(lines, LINES)):
        yield packer.compress(batch)
    yield packer.flush()


def _warn(warnings: Sequence[str]) -> None:
    for warning in warnings[:SHOWN]:
        say(f"warning: {warning}")
    if (more := len(warnings) - SHOWN) > 0:
        say(f"warning: and {more:,} more")


@dataclass(frozen=True)
class FailedFile:
    """Why a file could not be counted; `of_plugin` if a plugin failed or is missing."""

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


@cache  # each process loads the plugins once
def _registry(plugin_files: tuple[Path, ...]) -> Registry:
    return load(plugin_files, lazy=True)


def count_shard(shard: str, treatment: Treatment) -> CountedFiles:
    """Count the words of one file; every error that it can cause is its own."""
    text = corpus(_registry(treatment.plugin_files), [Address.of(shard)], treatment)
    try:
        words, warnings = core.count_text(text)
    except ERRORS as error:
        failed = FailedFile(str(error), isinstance(error, PluginError))
        return replace(NOTHING, failed=(failed,))
    return CountedFiles(words, tuple(warnings), 1)


def add_up(parts: Sequence[CountedFiles]) -> CountedFiles:
    """Add up the counts of parts that follow one another."""
    return CountedFiles(
        core.add_up([part.words for part in parts]),
        tuple(warning for part in parts for warning in part.warnings),
        sum(part.files for part in parts),
        tuple(failed for part in parts for failed in part.failed),
    )


def _merge(files: Sequence[str]) -> "tuple[core.CountsHeader, CountedWords, list[str]]":
    """Add up files of counts in their order; return the header that all have, and warnings.

    Raises UsageError for files whose words were found in different ways, InputError for one
    without a header.
    """
    header: core.CountsHeader | None = None
    for file in files:
        if is_address(file):
            raise UsageError(f"{file}: --merge reads files of this machine: copy it here")
        header_of_file = core.CountsHeader.of(Path(file), header)
        if header_of_file is None:
            raise InputError(
                f"{file}:1: found no header, which says how words were found: count again "
                "with `tokbench count`"
            )
        if header not in (None, header_of_file):
            raise UsageError(
                f"{file}:1: its words were found with {header_of_file}, expected {header}"
            )
        header = header_of_file
    assert header is not None  # a command has one input at least
    text = corpus(load(lazy=True), [], Treatment())
    source: Any = text.source  # a command names files, never a split
    of_counts = {"path": (*map(Path, files),), "format": "counts", "normalise": header.normalise}
    source = source.model_copy(update=of_counts)
    return header, *core.count_text(replace(text, source=source, splitter_name=header.words))
