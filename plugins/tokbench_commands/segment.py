"""`tokbench segment`: text to tokens, line by line."""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click

from tokbench.api import UsageError, Vocabulary
from tokbench.api.text import byte_length
from tokbench.commands import (
    PATH,
    Decorator,
    DescribedCorpus,
    Use,
    core,
    load,
    plugin_option,
    warn_of_plain_python,
)
from tokbench.printing import Table, one_line, whole_characters
from tokbench_commands.cutting import (
    CutText,
    covered,
    cut_lines,
    cut_words,
    described_for,
    read_lines,
    words_of,
)
from tokbench_commands.shared import (
    Treatment,
    choice_option,
    segmenter_option,
    treatment_options,
    with_output,
)
from tokbench_commands.tokenizers import (
    STDIN,
    TOKENIZER,
    Tokenizer,
    find_tokenizer,
    learner_options,
    size_option,
)

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


def _shown(name: str, text: str) -> Decorator:
    """Add a flag for what is printed; of several the last one counts."""
    return click.option(f"--{name}", "shown", flag_value=name, help=text)


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
@_shown("tokens", "Print tokens (default).")
@_shown(
    "ids",
    "Print ids instead; that of the unknown token, or else -1, for one that the vocabulary lacks.",
)
@_shown("offsets", "Print a token a line, with the characters and bytes that it covers.")
@_shown("counts", "Count each token instead: token<TAB>count.")
@_shown("total", "Count tokens, words, characters and bytes, as a whole and by line.")
@choice_option(
    "--format",
    "form",
    ("text", "json", "csv", "md"),
    "Text; a JSON list a line, of words, each a list of tokens; if whole lines are cut, the JSON "
    "list holds one list, that of the line. csv and md are for --total.",
)
@plugin_option
@with_output
def command(
    written: str,
    text: Path,
    segmenter: Use | None,
    size: str | None,
    options: Mapping[str, Any],
    treatment: Treatment,
    document: bool,
    shown: str | None,
    form: str,
    plugin_files: tuple[Path, ...],
) -> None:
    """Cut text; the help stands above, since a part of it is shared."""
    shown = shown or "tokens"
    if form not in FORMATS[shown]:
        raise UsageError(f"--format {form} is none of --{shown}: {', '.join(FORMATS[shown])}")
    if written == STDIN and str(text) == STDIN:
        raise UsageError("VOCABULARY and TEXT cannot both be standard input: give one as a file")
    warn_of_plain_python()
    registry = load(plugin_files, lazy=True)
    tokenizer = find_tokenizer(registry, written, options, segmenter, size)
    described = described_for(registry, tokenizer, text, treatment, needs_words=shown == "total")
    reading = Reading(tokenizer, described, read_lines(described, document))
    if shown == "total":
        _print_total(reading, form, document)
    elif shown == "offsets":
        _print_offsets(reading, form)
    elif shown == "counts":
        _print_counts(reading)
    elif shown == "ids":
        ids = reading.cuts(lambda cut: cut.ids)
        _print_lines(ids, lambda cuts: " ".join(map(str, chain(*cuts))), form)
    else:
        spell = _speller(tokenizer.vocabulary)
        _print_lines(reading.cuts(lambda cut: spell(_named(cut))), _joiner(), form)


class Reading(NamedTuple):
    """A text that is read and cut line by line."""

    tokenizer: Tokenizer
    described: DescribedCorpus
    lines: Iterator["core.Line"]

    def cuts(self, render: Callable[[CutText], T]) -> "Cuts[T]":
        """Yield each line with its words, or itself as a whole, each as `render` makes it."""
        if self.tokenizer.bound.cuts_lines:
            for line, cut in cut_lines(self.tokenizer, self.lines):
                yield line, [render(cut)] if line.text else []
            return
        cut_as: dict[str, T] = {}  # each distinct word is cut once
        for line, words in words_of(self.described, self.lines):
            fresh = [word for word in dict.fromkeys(words) if word not in cut_as]
            if fresh:
                cut_as.update(
                    zip(fresh, map(render, cut_words(self.tokenizer, fresh)), strict=True)
                )
            yield line, [cut_as[word] for word in words]


Cuts = Iterator[tuple["core.Line", list[T]]]
"""Lines with what was made of the cut of each of their words, or of the whole line."""


def _named(cut: CutText) -> list[str]:
    """Return the names of tokens, without dropped text."""
    return [*filter(None, cut.names)]


def _print_lines(cuts: Cuts[T], spell: Callable[[list[T]], str], form: str) -> None:
    for _, parts in cuts:
        line = json.dumps(parts) if form == "json" else spell(parts)
        sys.stdout.write(f"{line}\n")


def _joiner() -> Callable[[list[list[str]]], str]:
    """Return how to join the tokens of a line; on a terminal each has a colour.

    There bytes that make a character are shown as that; files keep each token.
    """
    escape = _escape()
    if not sys.stdout.isatty():
        return lambda cuts: escape(" ".join(chain(*cuts)))
    if os.environ.get("NO_COLOR"):
        return lambda cuts: escape(" ".join(whole_characters([*chain(*cuts)])))

    def coloured(cuts: list[list[str]]) -> str:
        return " ".join(
            click.style(escape(token), fg="black", bg=COLOURS[i % len(COLOURS)])
            for i, token in enumerate(whole_characters([*chain(*cuts)]))
        )

    return coloured


def _print_counts(reading: Reading) -> None:
    """Count by token: two may be spelled alike."""
    escape = _escape()
    counts: Counter[str] = Counter()
    for _, cuts in reading.cuts(_named):
        counts.update(chain.from_iterable(cuts))
    for token, count in counts.items():
        sys.stdout.write(f"{escape(reading.tokenizer.vocabulary.show(token))}\t{count}\n")


def _print_total(reading: Reading, form: str, document: bool) -> None:
    """Print the sums of all lines, then those of each; a `document` is all."""
    words: list[int] = []  # of each line, where whole lines are cut

    def count_words(lines: Iterable["core.Line"]) -> Iterator["core.Line"]:
        for line, words_of_line in words_of(reading.described, lines):
            words.append(len(words_of_line))
            yield line

    cuts_lines = reading.tokenizer.bound.cuts_lines
    lines = count_words(reading.lines) if cuts_lines else reading.lines
    rows = [
        (
            line.number,
            sum(sizes),
            words[i] if cuts_lines else len(sizes),
            len(line.text),
            byte_length(line.text),
        )
        for i, (line, sizes) in enumerate(
            reading._replace(lines=lines).cuts(lambda cut: len(cut.ids))
        )
    ]
    sums = [sum(column) for column in zip(*rows, strict=True)] or [0] * 5
    cells = [
        (line, tokens, many, *sizes, float(f"{tokens / many:.6g}") if many else None)
        for line, tokens, many, *sizes in [("all", *sums[1:]), *([] if document else rows)]
    ]
    sys.stdout.write(Table(TOTALS, cells).to("table" if form == "text" else form))


def _print_offsets(reading: Reading, form: str) -> None:
    """Print a row for each token: the characters and the bytes of the line that it covers."""
    escape = _escape()
    if form == "text":
        sys.stdout.write("\t".join(OFFSETS) + "\n")
    described, vocabulary = reading.described, reading.tokenizer.vocabulary
    finder = core.WordFinder(described.splitter, described.splitter_name)
    for line, cuts in reading.cuts(lambda cut: cut):
        # What `cuts` holds stands at these places; a line that is cut as a whole has one.
        places = [(0, 0)] * len(cuts)
        if not reading.tokenizer.bound.cuts_lines:
            places = finder.places(line)
        characters = _characters(line.text)
        records = []
        for (begin, stop), cut in zip(places, cuts, strict=True):
            before = byte_length(line.text[:begin])
            in_line: Sequence[int] = range(byte_length(line.text) + 1)
            if not reading.tokenizer.bound.cuts_lines:
                in_line = _with_ignored(line.text[begin:stop], described.splitter.ignored)
            for i, start_in_word, end_in_word in zip(cut.ids, cut.starts, cut.ends, strict=True):
                start, end = before + in_line[start_in_word], before + in_line[end_in_word]
                last = characters[end - 1] + 1 if end > start else characters[start]
                name = covered(line.text, start, end)
                if i >= 0:
                    name = vocabulary.show(vocabulary.tokens[i])
                values = (name, i, characters[start], last, start, end)
                records.append(dict(zip(OFFSETS[1:], values, strict=True)))
        if form == "json":
            sys.stdout.write(json.dumps(records) + "\n")
        else:
            for record in records:
                cells = [escape(str(value)).replace("\t", "\\t") for value in record.values()]
                sys.stdout.write("\t".join([str(line.number), *cells]) + "\n")


def _with_ignored(word: str, ignored: str) -> Sequence[int]:
    """Return where each byte of a word, and its end, stands with the characters that are ignored.

    Ignored characters belong to what is before them, at the beginning of the word to what follows.
    """
    places, at = list[int](), 0
    for char in word:
        if char not in ignored:
            places += range(at, at + byte_length(char))
        at += byte_length(char)
    return [0, *places[1:], at]


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
