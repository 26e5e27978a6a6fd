"""`tokbench corpora`: the corpora of the catalogue, listed or downloaded.

A download is whole and checked, or leaves nothing behind.
"""

from pathlib import Path
from typing import NamedTuple

import click

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    GZIP,
    CatalogueEntry,
    catalogue_entry,
    find_corpus,
    other_edition,
    raw_lines,
    read_catalogue,
    recognise_corpus,
    say,
    search_folders,
    showing_progress,
    text_digest,
)
from tokbench_commands.downloads import (
    Read,
    downloaded,
    folder_option,
    insecure_option,
    target_of,
)
from tokbench_commands.shared import format_option, print_records, with_output

COLUMNS = ("name", "title", "bytes", "licence", "file")
ALL_COLUMNS = (*COLUMNS, "url", "sha256", "note")


class Download(NamedTuple):
    """The file of a corpus, with a warning if it is another edition."""

    path: Path
    warning: str | None = None


@click.group()
def command() -> None:
    """List or download the corpora of the catalogue, which configs use as `{catalog: NAME}`."""


@command.command("list")
@format_option
@with_output
def show(form: str) -> None:
    """Show each corpus with its licence, and with its file if there is one.

    tokbench looks for files in $TOKBENCH_CORPORA and in the user's cache. csv and json also hold
    the address and the SHA-256 of the text.
    """
    records = [_record(name, entry) for name, entry in read_catalogue().items()]
    print_records(records, COLUMNS, form)


def _record(name: str, entry: CatalogueEntry) -> dict[str, str]:
    facts = {key: str(value) for key, value in entry.model_dump().items()}
    try:
        file = str(find_corpus(name))
    except InputError:
        file = ""
    complete = {**facts, "name": name, "file": file}
    return {column: complete[column] for column in ALL_COLUMNS}


@command.command("get")
@click.argument("name")
@folder_option("the user's cache")
@click.option("--url", help="Another address of the same text, such as a mirror's.")
@click.option(
    "--sha256", metavar="DIGEST", help="The SHA-256 of the text, gunzipped, which must match."
)
@insecure_option
def fetch(
    name: str, folder: Path | None, url: str | None, sha256: str | None, insecure: bool
) -> None:
    """Download the corpus NAME, check that it is whole, and print the file's path.

    Another edition than the tested one is taken, with a warning that figures will differ, unless
    --sha256 is given. Of a text that is part of tokbench, the path is printed.
    """
    entry = catalogue_entry(name)
    if not entry.url:
        if folder or url or sha256:
            raise UsageError(f"{name}: is part of tokbench: `tokbench corpora get {name}` finds it")
        click.echo(find_corpus(name))
        return
    target = target_of(folder, "corpora")
    digest = sha256 and sha256.lower()
    with showing_progress(False, False) as progress:
        progress(f"downloading {name}")
        path, warning = download_corpus(name, entry, target, url, insecure, digest, progress.read)
    if warning:
        say(f"warning: {warning}")
    if target not in search_folders():
        say(f"note: set TOKBENCH_CORPORA={target} so that configs find it")
    click.echo(path)


def download_corpus(
    name: str,
    entry: CatalogueEntry,
    folder: Path,
    url: str | None = None,
    insecure: bool = False,
    sha256: str | None = None,
    read: Read = lambda size: None,
) -> Download:
    """Download a corpus into a folder as NAME.txt, unless the tested edition lies there already.

    `read` is called with the bytes of each part that is received.

    Another edition is taken with a warning, unless a `sha256` of the text is given, which must
    match. Leaving nothing behind, it raises UsageError for http, also where a redirect leads there,
    unless `insecure`; and InputError if the server cannot be reached, refuses, or sends less than
    the whole text, or another one, and where another text has that name already.
    """
    if sha256 in (None, entry.sha256) and (
        path_there := recognise_corpus(entry.sha256, entry.bytes, folder)
    ):
        return Download(path_there)
    address = url or entry.url
    with downloaded(address, folder, insecure, read) as partial:
        same = _check(entry, address, partial, sha256)
        with partial.open("rb") as file:
            suffix = ".txt.gz" if file.read(len(GZIP)) == GZIP else ".txt"
        path = folder / f"{name}{suffix}"
        if path.exists() and text_digest(path) != text_digest(partial):
            raise InputError(
                f"{path}: already exists, with another text: remove it, or choose another folder"
                " with -o"
            )
        partial.replace(path)
        return Download(path, None if same else other_edition(name, path))


def _check(entry: CatalogueEntry, url: str, path: Path, sha256: str | None) -> bool:
    """Return whether a file is the tested edition.

    Raises InputError if it isn't the whole text, or hasn't the SHA-256 that is given.
    """
    digest = text_digest(path)
    if sha256 not in (None, digest):
        raise InputError(f"{url}: the SHA-256 of its text is {digest}, expected {sha256}")
    if digest == entry.sha256:
        return True
    awaited = [entry.begin, entry.end]
    for raw in raw_lines(path):
        if awaited and raw.startswith(awaited[0].encode()):
            awaited.pop(0)
    if awaited:
        raise InputError(
            f"{url}: not the whole text: no line begins with {awaited[0]!r}; is the address right?"
        )
    return False
