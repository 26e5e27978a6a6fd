"""`tokbench export`: a vocabulary in the format of another program."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path

import click

from tokbench.api import Component, Exported, ExportInput, UsageError, VocabularyFormat
from tokbench.commands import PATH, PATTERNS, PluginError, Registry, load, plugin_option, say
from tokbench.interchange import export_files
from tokbench_commands.components import FORMAT, build, treatment_options
from tokbench_commands.cutting import cut_counted, described_for, read_lines, words_of
from tokbench_commands.files import check_absent, write_files
from tokbench_commands.tokenizers import bind, find_vocabulary, size_option


@click.command()
@click.argument("written", metavar="VOCABULARY")
@size_option
@click.option("--to", "name", metavar="FORMAT", required=True, help=FORMAT)
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="The file to write, or the folder, for a format of several files [default: stdout].",
)
@click.option(
    "--split",
    type=click.Choice(["words", "whitespace", "gpt2", "none"]),
    help="How the other program finds words, for a format with this option, as hf.",
)
@click.option(
    "--text",
    type=PATH,
    help="A text whose words the format compares or writes, for a format that uses one.",
)
@treatment_options
@click.option("--force", is_flag=True, help="Write it, though text is lost when it is decoded.")
@plugin_option
def command(
    written: str,
    size: str | None,
    name: str,
    output: Path | None,
    split: str | None,
    text: Path | None,
    words: str | None,
    normalise: tuple[str, ...],
    errors: str,
    force: bool,
    plugin_files: tuple[Path, ...],
) -> None:
    """Write VOCABULARY in the format of another program.

    A mark or token that the format cannot express is refused. Anything else that the format cannot
    store is reported on standard error. No file is written over. VOCABULARY is the JSON of
    `tokbench learn` or `import`, word splits, or a system of a run: RUN:SYSTEM@SIZE, which finds
    the words of --text as its training text did, unless --words or --normalise are given.
    """
    registry = load(plugin_files, lazy=True)
    kind = registry.find("format", name).component
    if split is not None and not _has_split(kind):
        raise UsageError(f"--split is for --to {_names(registry, _has_split)}")
    if text is not None and not _uses_text(kind):
        raise UsageError(f"--text is for --to {_names(registry, _uses_text)}")
    options = () if split is None else (f"split={split}",)
    form = build(registry, "format", name, options)
    assert isinstance(form, VocabularyFormat)  # the registry gives what it was asked for
    _check_output(form, name, output)
    named = find_vocabulary(registry, written, size=size)
    splits = None
    if text is not None:
        # Cut the distinct words of the text with the vocabulary's own segmenter.
        tokenizer = bind(registry, named)
        treatment = words, normalise, errors
        described = described_for(registry, tokenizer, text, *treatment, needs_words=True)
        counted = Counter(chain.from_iterable(words_of(described, read_lines(described))))
        splits = cut_counted(tokenizer, counted)
    exported = export_files(form, name, named.vocabulary, ExportInput(splits, PATTERNS, force))
    for note in exported.notes:
        say(f"note: {note}")
    _put(exported, output)


def _has_split(kind: type[Component]) -> bool:
    return "split" in kind.model_fields


def _uses_text(kind: type[Component]) -> bool:
    return issubclass(kind, VocabularyFormat) and kind.uses_text


def _names(registry: Registry, takes: Callable[[type[Component]], bool]) -> str:
    """List the formats that take an option; one that cannot be imported takes none."""
    names = []
    for name in registry.names("format"):
        with suppress(PluginError):
            if takes(registry.find("format", name).component):
                names.append(name)
    return " and ".join(names)


def _check_output(form: VocabularyFormat, name: str, output: Path | None) -> None:
    if output is None and form.file_count > 1:
        raise UsageError(f"{name} is {form.file_count} files: give their folder with -o")
    if output is not None and form.file_count == 1:
        check_absent(output)


def _put(exported: Exported, output: Path | None) -> None:
    names, contents = list(exported.files), list(exported.files.values())
    if output is None:
        click.echo(contents[0], nl=False)
        return
    paths = [output] if len(names) == 1 else [output / name for name in names]
    write_files(dict(zip(paths, contents, strict=True)))
