"""`tokbench models`: tokenizers that others trained, listed or downloaded."""

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokbench.api import MODELS_VARIABLE, InputError, UsageError, models_folders
from tokbench.commands import load, say, showing_progress
from tokbench.interchange import looks_like, recognise
from tokbench.printing import closest, counted
from tokbench_commands.downloads import download, folder_option, target_of
from tokbench_commands.shared import (
    format_option,
    print_records,
    read_file,
    with_output,
    write_files,
)

if TYPE_CHECKING:
    from tokbench_ready_made.published import CatalogueFile, CatalogueModel

COLUMNS = ("name", "title", "licence", "check", "config", "file")
UNKNOWN = "digest unknown"


@click.group()
def command() -> None:
    """List or download tokenizers that others trained, which configs use as `list` says."""


@command.command("list")
@format_option
@with_output
def show(form: str) -> None:
    """Show each tokenizer with its licence, what a config writes, and its files if they are there.

    tokbench looks for them in $TOKBENCH_MODELS and in the user's cache. "digest unknown" means that
    a download cannot be checked. csv and json also hold the addresses and the SHA-256.
    """
    from tokbench_ready_made.published import by_digest, read_models  # help needs no plugin

    files = by_digest(models_folders())
    records = []
    for name, model in read_models().items():
        digests = [file.sha256 or UNKNOWN for file in model.files.values()]
        records.append(
            {
                "name": name,
                "title": model.title,
                "licence": model.licence,
                "check": UNKNOWN if UNKNOWN in digests else "SHA-256",
                "config": model.config,
                "file": ", ".join(map(str, model.there(files))),
                "url": ", ".join(file.url for file in model.files.values()),
                "sha256": ", ".join(digests),
            }
        )
    print_records(records, COLUMNS, form)


@command.command("get")
@click.argument("name")
@folder_option(f"${MODELS_VARIABLE}, or else the user's cache")
@click.option(
    "--url",
    "urls",
    multiple=True,
    help="Another address of the same file, such as a mirror's; of several files one each, in the"
    " order of `list`.",
)
def fetch(name: str, folder: Path | None, urls: tuple[str, ...]) -> None:
    """Download the files of the tokenizer NAME, check them by SHA-256, and print their paths."""
    from tokbench_ready_made.published import read_models  # help needs no plugin

    models = read_models()
    if name not in models:
        close = closest(name, models)
        hint = f"did you mean {close!r}?" if close else f"there are: {', '.join(models)}"
        raise UsageError(f"the catalogue holds no tokenizer {name!r}; {hint}")
    model = models[name]
    if urls and len(urls) != len(model.files):
        raise UsageError(
            f"--url: {name} has {counted(len(model.files), 'file')}, give it once for each"
        )
    own = os.environ.get(MODELS_VARIABLE)
    target = target_of(folder or (Path(own) if own else None), "models")
    with showing_progress(False, False) as progress:
        progress(f"downloading {name}")
        paths = download_model(model, target, urls)
    if target not in models_folders():
        say(f"note: set {MODELS_VARIABLE}={target} so that configs find it")
    say(f"note: a config names it {model.config}")
    for path in paths:
        click.echo(path)


def download_model(model: "CatalogueModel", folder: Path, urls: tuple[str, ...] = ()) -> list[Path]:
    """Download the files of a model into a folder, unless they lie there already.

    Warns of a file that cannot be checked, with its SHA-256. Raises what `download` raises, and
    InputError for a file that is not the one of the catalogue, also if it lies there already.
    """
    addresses = urls or [file.url for file in model.files.values()]
    paths = [folder / path for path in model.files]
    for path, file, address in zip(paths, model.files.values(), addresses, strict=True):
        if path.exists():
            way_out = "remove it, or choose another folder with -o"
            _check(read_file(path).data, file, f"{path}: already exists", way_out)
        else:
            content = download(address)
            what = f"{address}: not the file of the catalogue"
            _check(content, file, what, "try again later")
            write_files({path: [content]})
    return paths


def _check(content: bytes, file: "CatalogueFile", what: str, way_out: str) -> None:
    """Compare a file with its digest, if that is known, else only with what a server may send.

    Raises InputError for another file.
    """
    digest = hashlib.sha256(content).hexdigest()
    if file.sha256 is None:
        look = recognise(content, load(lazy=True))
        if look is not None and not (look.formats or look.readers):
            raise InputError(f"{what}: {looks_like(look)}")
        say(
            f"warning: {file.url}: could not be checked, since its digest is unknown; that of the"
            f" file (SHA-256) is {digest}"
        )
    elif digest != file.sha256:
        raise InputError(f"{what}: its SHA-256 is {digest}, expected {file.sha256}: {way_out}")
