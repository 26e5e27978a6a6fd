"""`tokbench import`: the files of another program as a vocabulary of ours."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from tokbench.cli.options import PATH, say
from tokbench.errors import UsageError
from tokbench.interchange.files import check_absent, read_file, write_files
from tokbench.interchange.formats import FORMATS, import_files

IN_FOLDER = (("encoder.json", "vocab.bpe"), ("vocab.json", "merges.txt"))
"""How the two files of the format gpt2 are called, by GPT-2 and by RoBERTa."""


@click.command()
@click.argument("files", metavar="FILES", nargs=-1, required=True, type=PATH)
@click.option("--from", "name", type=click.Choice([*FORMATS]), required=True, help="The format.")
@click.option("-o", "--output", type=PATH, help="The file to write [default: standard output].")
def command(files: tuple[Path, ...], name: str, output: Path | None) -> None:
    """Read a vocabulary from FILES of another program, and write it as JSON.

    For gpt2 FILES are encoder.json and vocab.bpe, or the folder that holds them; else one file.
    Anything that our vocabularies cannot store is reported on standard error. No file is written
    over.
    """
    if output is not None:
        check_absent(output)
    paths = [*_opened(files, name)]
    if len(paths) != FORMATS[name].files:
        raise UsageError(f"{name}: give {FORMATS[name].files} files, found {len(paths)}")
    imported = import_files([read_file(path) for path in paths], name)
    for note in imported.notes:
        say(f"note: {note}")
    text = imported.vocabulary.to_json()
    if output is None:
        click.echo(text, nl=False)
    else:
        write_files({output: text})


def _opened(files: Sequence[Path], name: str) -> Iterator[Path]:
    """Return the files, those of a folder in its place where the format has several."""
    for path in files:
        inside = [path / a for names in IN_FOLDER if (path / names[0]).is_file() for a in names]
        yield from inside[:2] if FORMATS[name].files == 2 and inside else [path]
