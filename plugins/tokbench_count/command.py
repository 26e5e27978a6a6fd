"""`tokbench count`: the words of texts of any size in one file, which configs read as counts."""

import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource
from tokbench_commands.components import treatment_options
from tokbench_commands.files import check_absent, write_files

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    PATH,
    PluginError,
    plugin_option,
    say,
    shards_of,
    showing_progress,
    telling,
)
from tokbench.printing import printable

if TYPE_CHECKING:
    from tokbench.api import CountedWords
    from tokbench.commands import Shard
    from tokbench.commands.texts import CountsHeader
    from tokbench_count.counting import CountedFiles, FailedFile, Treatment

FAILED = 1
"""The exit code where some files were left out."""
SHOWN = 20
"""Files that failed, and warnings, that are printed; there may be thousands."""
LINES = 1000
"""Lines that are compressed at once."""
OF_TEXTS = ("words", "normalise", "errors", "field", "dask", "skip_failed")
"""The options that say how texts are counted, which `--merge` does not do."""


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
@click.option(
    "--field",
    default="text",
    show_default=True,
    help="The field of JSON records, or the column of a table, that holds the text.",
)
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
    words: str | None,
    normalise: tuple[str, ...],
    errors: str,
    field: str,
    merge: bool,
    dask: str | None,
    workers: int | None,
    skip_failed: bool,
    plugin_files: tuple[Path, ...],
) -> int:
    """Count the words of texts once; configs read the counts as training text (format: counts).

    INPUT is a file, a pattern such as 'texts/*.txt.gz', or an address such as s3://bucket/a.txt.
    Files of text, JSON records (.jsonl, .ndjson, .json) and tables (.parquet) are known by their
    names; .gz and .zst are unpacked. Words stand in the order in which they first occur.

    Exit codes: 0 done, 1 done without the files that --skip-failed left out, 3 a splitter failed
    or a package is missing, 4 a file cannot be read: all such files are named, and nothing is
    written.
    """
    _check_output(output)
    if workers is not None and dask != "local":
        raise UsageError("--workers goes with --dask local")
    given = [name for name in OF_TEXTS if ctx.get_parameter_source(name) != ParameterSource.DEFAULT]
    if merge and given:
        option = f"--{given[0].replace('_', '-')}"
        raise UsageError(f"--merge adds up what was counted: leave out {option}")
    from tokbench_count import counting

    shards = shards_of(inputs, field)
    if merge:
        with showing_progress(False, False) as progress:
            progress("adding up")
            header, total, warnings = counting.merge(shards)
            _warn(warnings)
            progress("writing", 1.0)
            _write(output, header, total, len(shards))
        return 0
    plugins = tuple(path.resolve() for path in plugin_files)
    treatment = counting.Treatment(words, normalise, errors, plugins)
    text = counting.described(treatment)
    with showing_progress(False, False) as progress:
        if dask is None:
            counted = _count_here(shards, treatment, progress, progress.read)
        else:
            from tokbench_count.cluster import connected, count_on

            progress("connecting to Dask", 0)
            with connected(dask, workers) as client:
                counted = count_on(client, shards, treatment, progress)
        if shards[1:]:
            for failure in counted.failed[:SHOWN]:
                say(f"failed: {failure.reason}")
        if counted.failed and not (skip_failed and counted.files):
            raise _not_counted(counted.failed, len(shards))
        _warn(counted.warnings)
        if not counted.words:
            more = f" and {len(shards) - 1:,} more" if shards[1:] else ""
            raise InputError(f"{shards[0].name}{more}: found no words")
        from tokbench.commands.texts import CountsHeader

        steps = getattr(text.source, "normalise", ())
        header = CountsHeader(words=text.splitter_name, normalise=steps)
        progress("writing", 1.0)
        _write(output, header, counted.words, counted.files)
    if counted.failed:
        say(f"warning: {len(counted.failed):,} of {len(shards):,} files are left out")
    return FAILED if counted.failed else 0


def _count_here(
    shards: "Sequence[Shard]",
    treatment: "Treatment",
    progress: Callable[[str, float], None],
    read: Callable[[int], None],
) -> "CountedFiles":
    from tokbench_count.counting import Sum, count_shard

    total = Sum()
    for shard in shards:
        done = shard.number / len(shards)
        progress(f"counting file {shard.number + 1:,} of {len(shards):,}", done)
        with telling(read):
            total.add(count_shard(shard, treatment))
    return total.total()


def _not_counted(failed: "Sequence[FailedFile]", of: int) -> InputError | PluginError:
    """Build the error that nothing is written, since some files could not be counted."""
    kind = PluginError if all(one.of_plugin for one in failed) else InputError
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


def _write(output: Path, header: "CountsHeader", words: "CountedWords", files: int) -> None:
    lines = header.lines(words)
    write_files({output: _gzipped(lines) if output.suffix == ".gz" else lines})
    running = f"{sum(words.counts):,} words, {len(words):,} distinct"
    click.echo(f"{printable(str(output))}: {running}, of {files:,} file{'s' * (files > 1)}")


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
