"""`tokbench corpora`: the corpora of the catalogue, listed or downloaded."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from re import fullmatch
from typing import Any

import click

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    CatalogueEntry,
    cache_folder,
    catalogue_entry,
    find_corpus,
    read_catalogue,
    say,
    search_folders,
)
from tokbench.printing import Table
from tokbench_commands.components import format_option
from tokbench_commands.download import Download, download_corpus

COLUMNS = ("name", "title", "bytes", "licence", "file")
ALL_COLUMNS = (*COLUMNS, "url", "sha256", "note")


@click.group()
def command() -> None:
    """List or download the corpora of the catalogue, which configs use as `{catalog: NAME}`."""


@command.command("list")
@format_option
def show(form: str) -> None:
    """Show each corpus with its licence, and with its file if there is one.

    tokbench looks for files in $TOKBENCH_CORPORA and in the user's cache. csv and json also hold
    the address and the SHA-256 of the text.
    """
    columns = COLUMNS if form in ("table", "md") else ALL_COLUMNS
    records = [_record(name, found) for name, found in read_catalogue().items()]
    sys.stdout.write(Table.of(records, columns).to(form))


def _record(name: str, found: CatalogueEntry) -> dict[str, str]:
    facts = {key: str(value) for key, value in found.model_dump().items()}
    try:
        file = str(find_corpus(name))
    except InputError:
        file = ""
    return {**facts, "name": name, "file": file}


@command.command("get")
@click.argument("name")
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to put it in [default: the user's cache].",
)
@click.option("--url", help="Another address of the same text, such as a mirror's.")
@click.option(
    "--sha256", metavar="DIGEST", help="The SHA-256 of the text, gunzipped, which must match."
)
@click.option("--insecure", is_flag=True, help="Use http too, where anybody can change the text.")
def fetch(
    name: str, folder: Path | None, url: str | None, sha256: str | None, insecure: bool
) -> None:
    """Download the corpus NAME, check that it is whole, and print the file's path.

    Another edition than the tested one is taken, with a warning that figures will differ, unless
    --sha256 is given.
    """
    if sha256 is not None and not fullmatch("[0-9a-fA-F]{64}", sha256):
        raise UsageError(f"--sha256 {sha256}: expected 64 hexadecimal digits")
    wanted = catalogue_entry(name)
    target = folder or cache_folder()
    given: dict[str, Any] = {"insecure": insecure, "sha256": sha256 and sha256.lower()}
    path, warning = _shown(name, partial(download_corpus, name, wanted, target, url, **given))
    if warning:
        say(f"warning: {warning}")
    if target not in search_folders():
        say(f"note: set TOKBENCH_CORPORA={target} so that configs find it")
    click.echo(path)


def _shown(name: str, download: Callable[..., Download]) -> Download:
    """Download with a progress bar where somebody can see it."""
    if not sys.stderr.isatty():
        return download()
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress

    columns = ("{task.description}", BarColumn(), DownloadColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=None)

        def progress(done: int, size: int | None) -> None:
            bar.update(task, completed=done, total=size)

        return download(progress=progress)
