"""`tokbench export`: a vocabulary in the format of another program."""

from collections import Counter
from itertools import chain
from pathlib import Path

import click

from tokbench import plugins
from tokbench.api import Vocabulary
from tokbench.cli.components import corpus, treatment_options
from tokbench.cli.options import PATH, plugin_option, say
from tokbench.cli.segment import cut_counted, read_words
from tokbench.config.experiment import DescribedCorpus
from tokbench.errors import UsageError
from tokbench.interchange.exchange import Exported, ExportInput, HfSplit, Splits
from tokbench.interchange.files import check_absent, read_file, read_own, write_files
from tokbench.interchange.formats import FORMATS
from tokbench.plugins import Registry

WITH_TEXT = ("tiktoken", "word-splits")


@click.command()
@click.argument("vocabulary_file", metavar="VOCABULARY", type=PATH)
@click.option("--to", "name", type=click.Choice([*FORMATS]), required=True, help="The format.")
@click.option(
    "-o",
    "--output",
    type=PATH,
    help="The file to write, or the folder for gpt2 [default: standard output].",
)
@click.option(
    "--split",
    type=click.Choice(["words", "whitespace", "gpt2", "none"]),
    help="hf: how the tokenizer finds words [default: as the segmenter does].",
)
@click.option(
    "--text",
    type=PATH,
    help="tiktoken: a text whose words to compare; word-splits: a text whose words to write.",
)
@treatment_options
@plugin_option
def command(
    vocabulary_file: Path,
    name: str,
    output: Path | None,
    split: HfSplit | None,
    text: Path | None,
    words: str,
    normalise: tuple[str, ...],
    errors: str,
    plugin_files: tuple[Path, ...],
) -> None:
    """Write VOCABULARY in the format of another program.

    A mark or token that the format cannot express is refused. Anything else that the format cannot
    store is reported on standard error. No file is written over. VOCABULARY is the JSON of
    `tokbench learn` or `import`, or word splits.
    """
    _check(name, split, text, output)
    vocabulary = read_own(read_file(vocabulary_file))
    splits = None
    if text is not None:
        registry = plugins.load(plugin_files, lazy=True)
        described = corpus(registry, [text], words, normalise, errors)
        splits = _splits(registry, vocabulary, described, str(vocabulary_file))
    given = ExportInput(splits, split, _patterns())
    exported = FORMATS[name].write(vocabulary, given)
    for note in exported.notes:
        say(f"note: {note}")
    _put(exported, output)


def _check(name: str, split: HfSplit | None, text: Path | None, output: Path | None) -> None:
    if split is not None and name != "hf":
        raise UsageError("--split is for --to hf")
    if text is not None and name not in WITH_TEXT:
        raise UsageError(f"--text is for --to {' and '.join(WITH_TEXT)}")
    if output is None and FORMATS[name].files > 1:
        raise UsageError(f"{name} is {FORMATS[name].files} files: give their folder with -o")
    if output is not None and FORMATS[name].files == 1:
        check_absent(output)


def _put(exported: Exported, output: Path | None) -> None:
    names, contents = list(exported.files), list(exported.files.values())
    if output is None:
        click.echo(contents[0], nl=False)
        return
    paths = [output] if len(names) == 1 else [output / name for name in names]
    write_files(dict(zip(paths, contents, strict=True)))


def _splits(
    registry: Registry, vocabulary: Vocabulary, described: DescribedCorpus, where: str
) -> Splits:
    """Cut the distinct words of a text with the vocabulary's own segmenter, and count them."""
    counted = Counter(chain.from_iterable(read_words(described)))
    return cut_counted(registry, vocabulary, counted, where)


def _patterns() -> dict[str, str]:
    # `regex` knows these patterns, and so does the library of Hugging Face.
    from tokbench.corpora.splitters import NO_SPACE, WORDS

    return {"words": WORDS, "whitespace": NO_SPACE.pattern}
