"""`tokbench segment`: text to tokens, line by line."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, tee
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from tokbench.api import UsageError, Vocabulary, byte_length
from tokbench.commands import (
    PATH,
    DescribedCorpus,
    load,
    plugin_option,
    warn_of_plain_python,
)
from tokbench.printing import Table, one_line
from tokbench_commands.components import choice_option, segmenter_option, treatment_options
from tokbench_commands.cutting import (
    CutToken,
    check_words,
    cut_lines,
    cut_words,
    described_for,
    name_words,
    prepare,
    read_lines,
    words_of,
)
from tokbench_commands.tokenizers import (
    TOKENIZER,
    Tokenizer,
    find_tokenizer,
    learner_options,
    size_option,
)

if TYPE_CHECKING:
    from tokbench.commands.texts import Line

TOTALS = ("line", "tokens", "words", "characters", "bytes", "tokens-per-word")
OFFSETS = ("line", "token", "id", "start", "end", "byte-start", "byte-end")
COLOURS = ("cyan", "green", "yellow", "magenta")

FORMATS = {
    "tokens": ("text", "json"),
    "ids": ("text", "json"),
    "offsets": ("text", "json"),
    "counts": ("text",),
    "total": ("text", "csv", "json", "md"),
}
"""What is printed of the tokens, and the formats of each."""

T = TypeVar("T")
Command = Callable[..., None]


def _flag(name: str, text: str) -> Callable[[Command], Command]:
    """Add a flag for what is printed; raises UsageError where another one is given too."""

    def read(context: click.Context, _: click.Parameter, given: bool) -> None:
        if given and context.params.setdefault("shown", name) != name:
            raise UsageError(f"--{context.params['shown']} and --{name}: give one of the two")

    return click.option(f"--{name}", is_flag=True, expose_value=False, callback=read, help=text)


@click.command(
    help=f"""Cut TEXT (a file, or - for standard input) into tokens with VOCABULARY.

    {TOKENIZER}

    The output has one line for each line of TEXT. On a terminal control characters are escaped,
    and colours tell tokens apart unless NO_COLOR is set; elsewhere characters stay as they are. A
    segmenter that reads text cuts whole lines, which need no --words, the others words. Bytes that
    are no whole character are spelled <0xEC>. A byte order mark at the beginning is no text:
    offsets count behind it. A system of a run finds words as its training text did, unless --words
    or --normalise are given.
    """
)
@click.argument("written", metavar="VOCABULARY")
@click.argument("text", type=PATH, default="-")
@segmenter_option
@size_option
@learner_options
@treatment_options
@click.option("--document", is_flag=True, help="Cut the whole text at once, line ends included.")
@_flag("tokens", "Print tokens, which it does anyway.")
@_flag("ids", "Print ids instead; -1 for a token that the vocabulary lacks.")
@_flag("offsets", "Print a token a line, with the characters and bytes that it covers.")
@_flag("counts", "Count each token instead: token<TAB>count.")
@_flag("total", "Count tokens, words, characters and bytes, as a whole and by line.")
@choice_option(
    "--format",
    "form",
    ("text", "json", "csv", "md"),
    "Text; a JSON list a line, of words, each a list of tokens; if whole lines are cut, the JSON "
    "list holds one list, that of the line. csv and md are for --total.",
)
@plugin_option
def command(
    written: str,
    text: Path,
    name: str | None,
    size: str | None,
    options: tuple[str, ...],
    words: str | None,
    normalise: tuple[str, ...],
    errors: str,
    document: bool,
    form: str,
    plugin_files: tuple[Path, ...],
    shown: str = "tokens",
) -> None:
    """Cut text; the help stands above, since a part of it is shared."""
    if form not in FORMATS[shown]:
        raise UsageError(f"--format {form} is none of --{shown}: {', '.join(FORMATS[shown])}")
    if written == "-" and str(text) == "-":
        raise UsageError("VOCABULARY and TEXT cannot both be standard input: give one as a file")
    warn_of_plain_python()
    registry = load(plugin_files, lazy=True)
    tokenizer = find_tokenizer(registry, written, options, name, size)
    if shown != "total":
        check_words(tokenizer, words)
    prepare(tokenizer, name)
    counts_words = shown == "total"
    treatment = words, normalise, errors
    described = described_for(registry, tokenizer, text, *treatment, needs_words=counts_words)
    reading = Reading(tokenizer, described, read_lines(described, document))
    if shown == "total":
        _print_total(reading, form, document)
    elif shown == "offsets":
        _print_offsets(reading, form)
    elif shown == "counts":
        _print_counts(reading)
    elif shown == "ids":
        ids = reading.cuts(lambda _, cut: [token.id for token in cut])
        _print_lines(ids, lambda cuts: " ".join(str(i) for cut in cuts for i in cut), form)
    else:
        _print_lines(reading.names(_speller(tokenizer.vocabulary)), _on_a_line(), form)


class Reading(NamedTuple):
    """A text that is read and cut line by line."""

    tokenizer: Tokenizer
    described: DescribedCorpus
    lines: Iterator["Line"]

    def cuts(self, render: Callable[[str, list[CutToken]], T]) -> Iterator[list[T]]:
        """Yield the words of each line, or the line as a whole, each as `render` makes it."""
        if self.tokenizer.bound.cuts_lines:
            lines, again = tee(line.text for line in self.lines)
            cut = zip(lines, cut_lines(self.tokenizer, again), strict=True)
            yield from ([render(line, cuts_of_line)] if line else [] for line, cuts_of_line in cut)
            return
        yield from self._distinct(
            lambda words: map(render, words, cut_words(self.tokenizer, words)),
        )

    def names(self, spell: Callable[[list[str]], T]) -> Iterator[list[T]]:
        """Yield the same as the texts of tokens, marks included."""
        if not self.tokenizer.bound.cuts_lines:
            named = partial(name_words, self.tokenizer)
            return self._distinct(
                lambda words: (spell([*filter(None, names)]) for names in named(words))
            )
        tokens = self.tokenizer.vocabulary.tokens

        def render(text: str, cut: list[CutToken]) -> T:
            # What the vocabulary lacks is shown by the text itself.
            return spell(
                [tokens[token.id] if token.id >= 0 else _covered(text, token) for token in cut]
            )

        return self.cuts(render)

    def _distinct(self, cut: Callable[[list[str]], Iterable[T]]) -> Iterator[list[T]]:
        """Cut the words of lines, each distinct one once."""
        cut_as: dict[str, T] = {}
        for words in words_of(self.described, self.lines):
            fresh = [word for word in dict.fromkeys(words) if word not in cut_as]
            if fresh:
                cut_as.update(zip(fresh, cut(fresh), strict=True))
            yield [cut_as[word] for word in words]


def _print_lines(lines: Iterable[list[T]], spell: Callable[[list[T]], str], form: str) -> None:
    for found in lines:
        line = json.dumps(found) if form == "json" else spell(found)
        sys.stdout.write(f"{line}\n")


def _on_a_line() -> Callable[[list[list[str]]], str]:
    """Return how to join the tokens of a line; on a terminal each has a colour."""
    shown = _escape()
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return lambda cuts: shown(" ".join(chain(*cuts)))

    def coloured(found: list[list[str]]) -> str:
        tokens = enumerate(chain(*found))
        return " ".join(
            click.style(shown(token), fg="black", bg=COLOURS[i % len(COLOURS)])
            for i, token in tokens
        )

    return coloured


def _print_counts(reading: Reading) -> None:
    """Count by token: two may be spelled alike."""
    shown = _escape()
    counted: Counter[str] = Counter()
    for cuts in reading.names(list):
        counted.update(chain.from_iterable(cuts))
    for token, count in counted.items():
        sys.stdout.write(f"{shown(reading.tokenizer.vocabulary.show(token))}\t{count}\n")


def _print_total(reading: Reading, form: str, document: bool) -> None:
    """Print the sums of all lines, then those of each; a `document` is all."""
    lines, again, third = tee(reading.lines, 3)
    cuts, each = tee(reading._replace(lines=third).cuts(lambda _, cut: len(cut)))
    words: Iterator[Sequence[object]] = each  # of a tokenizer of words
    if reading.tokenizer.bound.cuts_lines:
        words = words_of(reading.described, again)
    rows = [
        (line.number, sum(cut), len(words_of_line), len(line.text), byte_length(line.text))
        for line, words_of_line, cut in zip(lines, words, cuts, strict=True)
    ]
    sums = [sum(column) for column in zip(*rows, strict=True)] or [0] * 5
    cells = [
        (line, tokens, many, *sizes, float(f"{tokens / many:.6g}") if many else None)
        for line, tokens, many, *sizes in [("all", *sums[1:]), *([] if document else rows)]
    ]
    sys.stdout.write(Table(TOTALS, cells).to("table" if form == "text" else form))


def _print_offsets(reading: Reading, form: str) -> None:
    """Print a row for each token: the characters and the bytes of the line that it covers."""
    shown = _escape()
    if form == "text":
        sys.stdout.write("\t".join(OFFSETS) + "\n")
    lines, again, third = tee(reading.lines, 3)
    places = _places_of(reading.described, again)
    if reading.tokenizer.bound.cuts_lines:
        places = ([(0, len(line.text))] if line.text else [] for line in again)
    cuts = reading._replace(lines=third).cuts(lambda _, cut: cut)
    show = reading.tokenizer.vocabulary.show
    tokens = reading.tokenizer.vocabulary.tokens
    for line, spans, cuts_of_line in zip(lines, places, cuts, strict=True):
        characters = _characters(line.text)
        records = []
        for (begin, _), cut in zip(spans, cuts_of_line, strict=True):
            before = byte_length(line.text[:begin])
            for token in cut:
                start, end = before + token.start, before + token.end
                last = characters[end - 1] + 1 if end > start else characters[start]
                place = CutToken(token.id, start, end)
                name = show(tokens[token.id]) if token.id >= 0 else _covered(line.text, place)
                values = (name, token.id, characters[start], last, start, end)
                records.append(dict(zip(OFFSETS[1:], values, strict=True)))
        if form == "json":
            sys.stdout.write(json.dumps(records) + "\n")
        else:
            for record in records:
                cells = [shown(str(value)).replace("\t", "\\t") for value in record.values()]
                sys.stdout.write("\t".join([str(line.number), *cells]) + "\n")


def _places_of(
    described: DescribedCorpus, lines: Iterable["Line"]
) -> Iterator[list[tuple[int, int]]]:
    """Return where the words that `words_of` finds begin and end, in characters of each line."""
    from tokbench.commands.texts import WordFinder

    return map(WordFinder(described.splitter, described.splitter_name).places, lines)


def _covered(text: str, token: CutToken) -> str:
    """Return the part of a text that a token covers; bytes of no whole character are U+FFFD."""
    return text.encode()[token.start : token.end].decode(errors="replace")


def _characters(text: str) -> list[int]:
    """Return for each byte of a text, and for its end, the number of its character."""
    return [*chain.from_iterable([i] * byte_length(c) for i, c in enumerate(text)), len(text)]


def _escape() -> Callable[[str], str]:
    """Return how to spell text: a terminal obeys control characters, a file or pipe keeps them."""
    if sys.stdout.isatty():
        return one_line
    # A mark may be spelled as the end of a line, of which each line has one.
    return lambda text: text.replace("\n", "\\n")


def _speller(vocabulary: Vocabulary) -> Callable[[list[str]], list[str]]:
    """Spell tokens for people, each distinct one once."""
    show = cache(vocabulary.show)
    return lambda names: vocabulary.marks.show_display([show(name) for name in names])
