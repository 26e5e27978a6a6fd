"""`tokbench segment`: text to tokens, line by line."""

import json
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import click

from tokbench import plugins
from tokbench.api import Segmenter, TextSegmenter, Vocabulary
from tokbench.api.segmenter import Token
from tokbench.cli.components import build, corpus, own_segmenter, treatment_options
from tokbench.cli.options import PATH, plugin_option, say
from tokbench.config.experiment import Corpus
from tokbench.corpora.source import Source
from tokbench.errors import TokbenchError
from tokbench.plugins import Registry
from tokbench.report.plain import one_line
from tokbench.runner.failures import stranger

STDIN = Path("-")


@click.command()
@click.argument("vocabulary_file", metavar="VOCABULARY", type=PATH)
@click.argument("text", type=PATH, default="-")
@click.option("--segmenter", "name", help="The segmenter [default: the vocabulary's own].")
@treatment_options
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Spelled tokens joined by spaces, or a JSON list of words, each a list of tokens.",
)
@click.option("--counts", is_flag=True, help="Count the tokens instead: token<TAB>count.")
@plugin_option
def command(
    vocabulary_file: Path,
    text: Path,
    name: str | None,
    words: str,
    normalise: tuple[str, ...],
    errors: str,
    form: str,
    counts: bool,
    plugin_files: tuple[Path, ...],
) -> None:
    """Cut TEXT (a file, or - for standard input) into tokens with VOCABULARY.

    One line comes out for each line that goes in. VOCABULARY is the JSON of `tokbench learn`, or
    its word splits. A segmenter that reads text cuts whole lines, the others words.
    """
    registry = plugins.load(plugin_files)
    vocabulary = read_vocabulary(vocabulary_file)
    chosen, segmenter = _segmenter(registry, vocabulary, name, str(vocabulary_file))
    cut = _Cutter(vocabulary, chosen, segmenter)
    whole = isinstance(segmenter, TextSegmenter)
    lines = read_words(corpus(registry, [text], words, normalise, errors), whole)
    counted: dict[str, int] = {}
    for line in lines:
        cuts = [cut(word) for word in line]
        if counts:
            for token in chain.from_iterable(cuts):
                counted[token] = counted.get(token, 0) + 1
        elif form == "json":
            sys.stdout.write(json.dumps(cuts) + "\n")
        else:
            sys.stdout.write(one_line(" ".join(chain.from_iterable(cuts))) + "\n")
    for token, count in counted.items():
        click.echo(f"{one_line(token)}\t{count}")


def read_vocabulary(path: Path) -> Vocabulary:
    """Read a vocabulary from JSON or word splits; raises InputError for anything else."""
    from tokbench.interchange.files import read_file
    from tokbench.interchange.own import read_own

    return read_own(read_file(path))


def read_words(described: Corpus, whole: bool = False) -> Iterator[list[str]]:
    """Give the words of each line of the text, or the `whole` line; none of a blank line."""
    from tokbench.corpora.files import raw_lines
    from tokbench.corpora.normalise import normaliser
    from tokbench.corpora.noted import Noted
    from tokbench.corpora.text import Line, decoded
    from tokbench.corpora.words import WordFinder

    assert isinstance(described.source, Source)  # a command names files, never a split
    path = described.source.path[0]
    normalise = normaliser(described.source.normalise)
    finder = WordFinder(normalise, described.splitter, described.splitter_name)
    raws = sys.stdin.buffer if path == STDIN else raw_lines(path)
    shown = Path("<stdin>") if path == STDIN else path
    invalid = Noted()
    for number, text in decoded(raws, shown, described.source.errors, invalid):
        if whole:
            yield [line] if (line := normalise(text)) else []
        else:
            yield finder(Line(shown, number, 0, text))
    for warning in (
        *invalid.warnings("lines that are not valid UTF-8", described.source.errors),
        *finder.overlong.warnings("words over 10,000 characters", "cut into pieces"),
    ):
        say(f"warning: {warning}")


class _Cutter:
    """Cuts words, each distinct one once, and spells their tokens for people."""

    def __init__(self, vocabulary: Vocabulary, name: str, segmenter: Segmenter) -> None:
        from tokbench.runner.segmenting import TokenTable

        self._vocabulary = vocabulary
        self._where = f"segmenter {name}"
        self._segmenter = segmenter
        with stranger(self._where):
            self._prepared: Any = segmenter.prepare(vocabulary)
        self._table = TokenTable(vocabulary)
        self._cuts: dict[str, list[str]] = {}

    def __call__(self, word: str) -> list[str]:
        if word not in self._cuts:
            with stranger(self._where):
                tokens = list(self._segmenter.segment(word, self._prepared))
                self._check(word, tokens)
            self._cuts[word] = self._spelled(tokens)
        return self._cuts[word]

    def _spelled(self, tokens: Sequence[Token]) -> list[str]:
        names = [named(token, self._vocabulary) for token in tokens]
        shown = [self._vocabulary.show(name) for name in names if name is not None]
        return self._vocabulary.marks.show_display(shown)

    def _check(self, word: str, tokens: Sequence[Token]) -> None:
        try:
            self._table.lay_out(word, tokens, array("q"), array("q"), array("q"))
        except TokbenchError as error:
            raise TokbenchError(f"{self._where}: {error}") from None


def named(token: Token, vocabulary: Vocabulary) -> str | None:
    """Give a token's text; what a tokenizer drops, or has no id for, has none."""
    name = token if isinstance(token, str) else token[0]
    if isinstance(name, int):
        return vocabulary.tokens[name] if name >= 0 else None
    return name


def _segmenter(
    registry: Registry, vocabulary: Vocabulary, name: str | None, where: str
) -> tuple[str, Segmenter]:
    if name is None:
        return vocabulary.segmenter.get("use", ""), own_segmenter(registry, vocabulary, where)
    segmenter = build(registry, "segmenter", name, ())
    assert isinstance(segmenter, Segmenter)  # the registry gives what it was asked for
    return name, segmenter
