"""`tokbench import`: the files of another program as a vocabulary of ours."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from tokbench.api import Imported, InputError, SourceFile, UsageError, VocabularyFormat
from tokbench.commands import PATH, Registry, load, plugin_option, run_plugin_code, say
from tokbench.interchange import build_format, looks_like, read_files, recognise
from tokbench.printing import counted
from tokbench_commands.shared import FORMAT, read_file, with_output


@click.command()
@click.argument("files", metavar="FILES", nargs=-1, required=True, type=PATH)
@click.option("--from", "name", metavar="FORMAT", required=True, help=FORMAT)
@plugin_option
@with_output
def command(files: tuple[Path, ...], name: str, plugin_files: tuple[Path, ...]) -> None:
    """Read a vocabulary from FILES of another program, and write it as JSON.

    For a format of several files, FILES are all of them, or the folder that holds them. Anything
    that our vocabularies cannot store is reported on standard error. No file is written over.
    """
    registry = load(plugin_files, lazy=True)
    form = build_format(registry, name)
    paths = [*_opened(files, form)]
    if len(paths) != form.file_count:
        raise UsageError(f"{name}: give {counted(form.file_count, 'file')}, found {len(paths)}")
    imported = import_files(registry, form, name, [read_file(path) for path in paths])
    for note in imported.notes:
        say(f"note: {note}")
    with run_plugin_code(f"format {name}"):
        text = imported.vocabulary.to_json()
    click.echo(text, nl=False)


def _opened(files: Sequence[Path], form: VocabularyFormat) -> Iterator[Path]:
    """Return the files; for a folder, the files of the format in it."""
    for path in files:
        in_folder = (names for names in form.folder_names if (path / names[0]).is_file())
        names = next(in_folder, None)
        yield from [path] if names is None else [path / name for name in names]


def import_files(
    registry: Registry, form: VocabularyFormat, name: str, sources: Sequence[SourceFile]
) -> Imported:
    """Read files of a format; raises InputError where they look like another one, or are wrong."""
    for source in sources:
        look = recognise(source.data, registry, name)
        if look is not None and name not in look.formats:
            raise InputError(f"{source.where}: {looks_like(look, name)}")
    return read_files(form, name, sources)
