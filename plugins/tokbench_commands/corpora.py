"""`tokbench corpora`: the corpora of the catalogue, listed or downloaded.

A download is whole and checked, or leaves nothing behind.
"""

import gzip
import hashlib
import zlib
from pathlib import Path

import click

from tokbench.api import InputError, UsageError
from tokbench.commands import (
    GZIP,
    CatalogueEntry,
    catalogue_entry,
    find_corpus,
    other_edition,
    read_catalogue,
    recognise_corpus,
    say,
    search_folders,
    showing_progress,
    text_digest,
)
from tokbench_commands.downloads import download, folder_option, target_of
from tokbench_commands.shared import format_option, print_records, with_output, write_files

COLUMNS = ("name", "title", "bytes", "licence", "file")
ALL_COLUMNS = (*COLUMNS, "url", "sha256", "note")


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
def fetch(name: str, folder: Path | None, url: str | None, sha256: str | None) -> None:
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
    with showing_progress(False, False) as progress:
        progress(f"downloading {name}")
        path = download_corpus(name, entry, target, url, sha256 and sha256.lower())
    if target not in search_folders():
        say(f"note: set TOKBENCH_CORPORA={target} so that configs find it")
    click.echo(path)


def download_corpus(
    name: str,
    entry: CatalogueEntry,
    folder: Path,
    url: str | None = None,
    sha256: str | None = None,
) -> Path:
    """Download a corpus into a folder as NAME.txt, unless the tested edition lies there already.

    Another edition is taken with a warning, unless a `sha256` of the text is given, which must
    match. Raises what `download` raises, and InputError for another text or a part of it, and
    where another text has that name already; then nothing is left behind.
    """
    if sha256 in (None, entry.sha256) and (
        path_there := recognise_corpus(entry.sha256, entry.bytes, folder)
    ):
        return path_there
    address = url or entry.url
    content = download(address)
    is_packed = content.startswith(GZIP)
    try:
        text = gzip.decompress(content) if is_packed else content
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{address}: damaged: {error}") from None
    digest = hashlib.sha256(text).hexdigest()
    if sha256 not in (None, digest):
        raise InputError(f"{address}: the SHA-256 of its text is {digest}, expected {sha256}")
    path = folder / f"{name}.txt{'.gz' if is_packed else ''}"
    if digest != entry.sha256:
        _check_whole(text, entry, address)
    if not path.exists():
        write_files({path: [content]})
    elif text_digest(path) != digest:
        way_out = "remove it, or choose another folder with -o"
        raise InputError(f"{path}: already exists, with another text: {way_out}")
    if digest != entry.sha256:
        say(f"warning: {other_edition(name, path)}")
    return path


def _check_whole(text: bytes, entry: CatalogueEntry, address: str) -> None:
    """Raise InputError unless a line of the text begins as the entry says, and a later one ends."""
    lines, place = b"\n" + text, 0
    for awaited in (entry.begin, entry.end):
        place = 1 + lines.find(b"\n" + awaited.encode(), place)
        if not place:
            what = f"not the whole text: no line begins with {awaited!r}; is the address right?"
            raise InputError(f"{address}: {what}")
