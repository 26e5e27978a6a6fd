"""`tokbench export`: a vocabulary in the format of another program."""

from collections import Counter
from pathlib import Path

import click

from tokbench.api import ExportInput, UsageError, VocabularyFormat
from tokbench.commands import (
    PATH,
    PATTERNS,
    Use,
    core,
    load,
    plugin_option,
    read_path,
    run_folder,
    say,
)
from tokbench.interchange import export_files
from tokbench_commands.cutting import cut_counted, described_for, read_lines, words_of
from tokbench_commands.shared import (
    FORMAT,
    Treatment,
    build,
    check_absent,
    read_run,
    reading,
    treatment_options,
    use_option,
    write_files,
)
from tokbench_commands.tokenizers import bind, find_vocabulary, size_option


@click.command()
@click.argument("written", metavar="VOCABULARY")
@size_option
@use_option("--to", "use", FORMAT, metavar="FORMAT", required=True)
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="The file to write, or the folder, for a format of several files [default: stdout].",
)
@click.option(
    "--split",
    type=click.Choice(["words", "whitespace", "gpt2", "cl100k", "o200k", "none"]),
    help="How the other program finds words, for a format with this option, as hf.",
)
@click.option(
    "--text",
    type=PATH,
    help="A text whose words the format compares or writes, for a format that uses one.",
)
@treatment_options
@click.option(
    "--recommended", is_flag=True, help="Write what the run VOCABULARY recommends, at its size."
)
@click.option("--force", is_flag=True, help="Write it, though text is lost when it is decoded.")
@plugin_option
def command(
    written: str,
    size: str | None,
    use: Use,
    output: Path | None,
    split: str | None,
    text: Path | None,
    treatment: Treatment,
    recommended: bool,
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
    name = use.use
    if split is not None and "split" not in registry.find("format", name).component.model_fields:
        raise UsageError(f"--split: the format {name} has no such option")
    form: VocabularyFormat = build(registry, "format", use, {"split": split} if split else {})
    if text is not None and not form.uses_text:
        raise UsageError(f"--text: the format {name} uses no text")
    if output is None and form.file_count > 1:
        raise UsageError(f"{name} is {form.file_count} files: give their folder with -o")
    if output is not None and form.file_count == 1:
        check_absent(output)
    if recommended:
        if size is not None:
            raise UsageError("--size: --recommended names the size: leave one of the two out")
        written = _recommended(written)
    source = find_vocabulary(registry, written, {}, size)
    splits = None
    if text is not None:
        # Cut the distinct words of the text with the vocabulary's own segmenter.
        tokenizer = bind(registry, source)
        described = described_for(registry, tokenizer, text, treatment, needs_words=True)
        counts: Counter[str] = Counter()
        for _, words_of_line in words_of(described, read_lines(described)):
            counts.update(words_of_line)
        splits = cut_counted(tokenizer, counts)
    exported = export_files(form, name, source.vocabulary, ExportInput(splits, PATTERNS, force))
    for note in exported.notes:
        say(f"note: {note}")
    if output is None:
        (content,) = exported.files.values()
        click.echo(content, nl=False)
    elif form.file_count == 1:
        write_files(dict(zip([output], exported.files.values(), strict=True)))
    else:
        write_files({output / file: content for file, content in exported.files.items()})


def _recommended(written: str) -> str:
    """Return the system and size that a run recommends, as a command is given them."""
    folder = read_path(written.removesuffix(":"))
    run = read_run(folder)
    with reading(folder):
        recommendation = core.recommend(run)
    if recommendation is None:
        raise UsageError(f"{written}: the run recommends no system: see tokbench show {written}")
    label = run_folder.SystemSize(recommendation.take[0], recommendation.size)
    say(f"{label} is what the run recommends")
    return f"{written.removesuffix(':')}:{label}"
