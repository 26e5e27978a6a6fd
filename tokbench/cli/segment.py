"""`tokbench segment`: text to tokens, line by line."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokbench import plugins
from tokbench.api import Vocabulary
from tokbench.cli.components import bind_segmenter, corpus, segmenter_option, treatment_options
from tokbench.cli.options import PATH, choice_option, plugin_option, say
from tokbench.corpora.source import DescribedCorpus, Source
from tokbench.errors import BrokenPromiseError, TokbenchError
from tokbench.failures import run_plugin_code
from tokbench.interchange.files import read_file, read_own
from tokbench.plugins import Registry
from tokbench.printing import one_line

if TYPE_CHECKING:
    from tokbench.corpora.lines import Line
    from tokbench.cut import BoundSegmenter

STDIN = Path("-")
_AT_A_TIME = 2**18
"""The characters of the lines that one call of a library cuts: some thousand lines."""

LineTokenization = list[list[str]]
"""The tokens of each word of a line, or of the line as a whole."""

Spell = Callable[[list[str]], list[str]]


@click.command()
@click.argument("vocabulary_file", metavar="VOCABULARY", type=PATH)
@click.argument("text", type=PATH, default="-")
@segmenter_option
@treatment_options
@choice_option(
    "--format",
    "form",
    ("text", "json"),
    "Spelled tokens joined by spaces, or a JSON list of words, each a list of tokens; if "
    "whole lines are cut, the JSON list holds one list, that of the line.",
)
@click.option("--counts", is_flag=True, help="Count each token instead: token<TAB>count.")
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

    The output has one line for each line of TEXT. On a terminal control characters are escaped;
    elsewhere they stay as they are. VOCABULARY is the JSON of `tokbench learn`, or
    its word splits. A segmenter that reads text cuts whole lines, which need no --words, the
    others words. Bytes that are no whole character are spelled <0xEC>.
    """
    registry = plugins.load(plugin_files, lazy=True)
    vocabulary = read_own(read_file(vocabulary_file), registry)
    where, bound = bind_segmenter(registry, vocabulary, str(vocabulary_file), name, words)
    with run_plugin_code(where):
        _ = bound.prepared  # what fails does so before any text is read
    spell = list if counts else _speller(vocabulary)
    described = corpus(registry, [text], words, normalise, errors)
    read = read_lines(described)
    if bound.cuts_lines:
        lines = _cut_lines(bound, where, (line.text for line in read), spell)
    else:
        lines = _cut_words(bound, where, words_of(described, read), spell)
    if counts:
        _print_counts(lines, vocabulary)
    else:
        _print_lines(lines, form)


def _print_counts(lines: Iterable[LineTokenization], vocabulary: Vocabulary) -> None:
    """Count by token: two may be spelled alike."""
    shown = _escape()
    counted: Counter[str] = Counter()
    for cuts in lines:
        counted.update(chain.from_iterable(cuts))
    for token, count in counted.items():
        sys.stdout.write(f"{shown(vocabulary.show(token))}\t{count}\n")


def _print_lines(lines: Iterable[LineTokenization], form: str) -> None:
    shown = _escape()
    for cuts in lines:
        line = json.dumps(cuts) if form == "json" else shown(" ".join(chain(*cuts)))
        sys.stdout.write(f"{line}\n")


def _escape() -> Callable[[str], str]:
    """Return how to spell text: a terminal obeys control characters, a file or pipe keeps them."""
    if sys.stdout.isatty():
        return one_line
    # A mark may be spelled as the end of a line, of which each line has one.
    return lambda text: text.replace("\n", "\\n")


def read_lines(described: DescribedCorpus, keep_ends: bool = False) -> Iterator["Line"]:
    """Return the lines of the text, normalised, blank ones too; warn of invalid UTF-8."""
    from tokbench.corpora.files import raw_lines
    from tokbench.corpora.lines import IssueCounter, Line, decode_lines, without_end
    from tokbench.corpora.normalise import normaliser

    assert isinstance(described.source, Source)  # a command names files, never a split
    path, errors = described.source.path[0], described.source.errors
    normalise = normaliser(described.source.normalise)
    raws = sys.stdin.buffer if path == STDIN else raw_lines(path)
    shown = Path("<stdin>") if path == STDIN else path
    invalid = IssueCounter()
    for number, text in decode_lines(raws, shown, errors, invalid, keep_ends=keep_ends):
        body = without_end(text) if keep_ends else text
        yield Line(shown, number, 0, normalise(body) + text[len(body) :])
    for warning in invalid.warnings("lines that are not valid UTF-8", errors):
        say(f"warning: {warning}")


def words_of(described: DescribedCorpus, lines: Iterable["Line"]) -> Iterator[list[str]]:
    """Return the words of each line, which is normalised; none of a blank line."""
    from tokbench.corpora.words import WordFinder

    finder = WordFinder(str, described.splitter, described.splitter_name)
    yield from map(finder, lines)
    for warning in finder.overlong.warnings("words over 10,000 characters", "cut into pieces"):
        say(f"warning: {warning}")


def _cut_words(
    bound: "BoundSegmenter", where: str, lines: Iterable[list[str]], spell: Spell
) -> Iterator[LineTokenization]:
    """Cut the words of lines, each distinct one once."""
    known: dict[str, list[str]] = {}
    for line in lines:
        fresh = [word for word in dict.fromkeys(line) if word not in known]
        if fresh:
            with checking(where):
                found = bound.names(fresh)
            for word, names in zip(fresh, found, strict=True):
                known[word] = spell([name for name in names if name is not None])
        yield [known[word] for word in line]


def _cut_lines(
    bound: "BoundSegmenter", where: str, lines: Iterable[str], spell: Spell
) -> Iterator[LineTokenization]:
    """Cut whole lines, some thousand with one call; a blank one holds no text to be cut."""
    tokens = bound.vocabulary.tokens
    for batch in _batches(lines):
        with checking(where):
            found = bound.lines([*filter(None, batch)])
        ids, spans = found.ids.tolist(), pairwise(found.row.tolist())
        cuts = (spell([tokens[i] for i in ids[first:last] if i >= 0]) for first, last in spans)
        yield from ([next(cuts)] if line else [] for line in batch)


@contextmanager
def checking(where: str) -> Iterator[None]:
    """Name the component in the errors of its code and of the core's checks."""
    try:
        with run_plugin_code(where):
            yield
    except BrokenPromiseError as error:
        raise TokbenchError(f"{where}: {error}") from None


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    """Return some thousand lines at a time, fewer where they are long."""
    batch: list[str] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += 1 + len(line)
        if size >= _AT_A_TIME:
            yield batch
            batch, size = [], 0
    yield batch


def _speller(vocabulary: Vocabulary) -> Spell:
    """Spell tokens for people, each distinct one once."""
    show = cache(vocabulary.show)
    return lambda names: vocabulary.marks.show_display([show(name) for name in names])


def cut_counted(
    registry: Registry, vocabulary: Vocabulary, words: Mapping[str, int], where: str
) -> list[tuple[list[str], int]]:
    """Cut counted words with the vocabulary's own segmenter: the tokens and count of each."""
    segmenter, bound = bind_segmenter(registry, vocabulary, where)
    with checking(segmenter):
        cuts = bound.names([*words])
    # Dropped text leaves an empty token, so that it is not lost silently.
    tokens = [[name or "" for name in cut] for cut in cuts]
    return list(zip(tokens, words.values(), strict=True))
