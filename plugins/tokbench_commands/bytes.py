"""`tokbench bytes`: the bytes that each token writes, and whether they add up to a text."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from tokbench.api import UsageError, Vocabulary
from tokbench.api.text import byte_length
from tokbench.commands import PATH, DescribedCorpus, Use, core, load, plugin_option, say
from tokbench.printing import Table, counted
from tokbench_commands.cutting import (
    checking,
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
from tokbench_commands.tokenizers import TOKENIZER, find_tokenizer, learner_options, size_option

TOKENS = ("id", "token", "bytes", "bytes-at-edge", "note")
ACCOUNT = ("line", "bytes", "between-words", "written", "uncovered", "difference", "tokens")
_AT_A_TIME = 100

Account = tuple[int, int, list["core.TextBytes"]]
"""A line: its number and bytes, and the account of each text that the segmenter is given."""


@click.command(
    help=f"""Show how many bytes of text each token writes.

    With TEXT (a file, or - for standard input) show whether the bytes of its tokens add up to those
    of the text, and each line and token where they do not; then the exit code is 1. A system of a
    run finds words as its training text did, unless --words or --normalise are given.

    {TOKENIZER}
    """
)
@click.argument("written", metavar="VOCABULARY")
@click.argument("text", required=False, type=PATH)
@learner_options
@segmenter_option
@size_option
@treatment_options
@click.option("--document", is_flag=True, help="Cut the whole text at once, line ends included.")
@choice_option(
    "--format",
    "form",
    ("table", "csv", "json", "npy"),
    "How it is printed; npy: an array with a row an id: its bytes, and those at the edge of a "
    "line; -1 for the unknown token.",
)
@plugin_option
@with_output
def command(
    written: str,
    text: Path | None,
    options: Mapping[str, Any],
    segmenter: Use | None,
    size: str | None,
    treatment: Treatment,
    document: bool,
    form: str,
    plugin_files: tuple[Path, ...],
) -> int:
    """Show bytes; the help stands above, since a part of it is shared."""
    if form == "npy" and (text is not None or sys.stdout.isatty()):
        what = "shows no text" if text is not None else "is no text: send it to a file"
        raise UsageError(f"--format npy {what}")
    registry = load(plugin_files, lazy=True)
    tokenizer = find_tokenizer(registry, written, options, segmenter, size)
    with checking(tokenizer.where):
        counted = core.WrittenBytes.of(tokenizer.bound)
    if text is not None:
        described = described_for(registry, tokenizer, text, treatment)
        accounts = _account(counted, described, document, tokenizer.where)
        return 0 if _print_account(accounts, counted, form) else 1
    if form == "npy":
        import numpy as np

        # An array finds its place in a file, which a pipe has not.
        np.save(array := BytesIO(), np.column_stack((counted.inside, counted.at_edge)))
        sys.stdout.buffer.write(array.getvalue())
    else:
        _print([*_tokens(counted)], TOKENS, form)
    return 0


def _print(records: Sequence[Mapping[str, Any]], columns: Sequence[str], form: str) -> None:
    """Print values as they are in JSON; elsewhere tokens are spelled in JSON, so as to be exact."""
    if form == "json":
        click.echo(json.dumps(records, indent=1))
        return
    shown = [{name: _cell(name, value) for name, value in record.items()} for record in records]
    sys.stdout.write(Table.of(shown, columns).to(form))


def _cell(name: str, value: Any) -> str:
    if value is None or value == []:
        return ""
    return json.dumps(value, ensure_ascii=False) if name.startswith("token") else str(value)


def _tokens(written: "core.WrittenBytes") -> Iterator[Mapping[str, Any]]:
    """Describe each token by its bytes."""
    vocabulary = written.bound.vocabulary
    sizes = zip(vocabulary.tokens, written.inside.tolist(), written.at_edge.tolist(), strict=True)
    for i, (token, *pair) in enumerate(sizes):
        note = "" if pair[0] else "writes none"
        if i == vocabulary.unknown:
            note, pair = "unknown: the text decides", [None, None]
        elif i in vocabulary.unproduced:
            note = "special: never produced"
        elif pair[0] != pair[1]:
            note = f"one less at the {written.edge} of a line"
        yield dict(zip(TOKENS, (i, vocabulary.show(token), *pair, note), strict=True))


def _account(
    written: "core.WrittenBytes", described: DescribedCorpus, document: bool, where: str
) -> Iterator[Account]:
    """Account for each line of a text; as one `document`, it is one line."""
    lines: Iterator[tuple[core.Line, list[str]]] = words_of(
        described, read_lines(described, document)
    )
    if written.bound.cuts_lines:
        lines = ((line, [line.text]) for line in read_lines(described, document))
    while batch := [*islice(lines, _AT_A_TIME)]:
        distinct = [*dict.fromkeys(text for _, line_texts in batch for text in line_texts)]
        with checking(where):
            accounts = dict(zip(distinct, written.account(distinct), strict=True))
        for line, line_texts in batch:
            yield line.number, byte_length(line.text), [accounts[text] for text in line_texts]


def _print_account(accounts: Iterator[Account], written: "core.WrittenBytes", form: str) -> bool:
    """Print the sums over all lines, then each line whose bytes do not add up; True for none."""
    rows: list[Mapping[str, Any]] = []
    total = dict.fromkeys(ACCOUNT[1:6], 0)
    many = 0
    for number, size, parts in accounts:
        many += 1
        between = size - sum(part.size for part in parts)
        done = sum(part.written for part in parts)
        lost = sum(part.uncovered for part in parts)
        sums = (size, between, done, lost, done + between - size)
        total = {name: total[name] + number for name, number in zip(total, sums, strict=True)}
        if any(not part.adds_up for part in parts):
            tokens = [*_different(parts, written.bound.vocabulary)]
            rows.append(_row(str(number), sums, tokens))
    rows.insert(0, _row("all", [*total.values()], []))
    _print(rows, ACCOUNT, form)
    what = "text" if written.bound.cuts_lines else "words"
    exact = f"exact: in every line the bytes of the tokens add up to those of the {what}"
    say(f"not exact: {len(rows) - 1:,} of {counted(many, 'line')} differ" if rows[1:] else exact)
    return len(rows) == 1


def _row(line: str, sums: Sequence[int], tokens: Sequence[object]) -> Mapping[str, Any]:
    return dict(zip(ACCOUNT, (line, *sums, tokens), strict=True))


def _different(
    parts: Sequence["core.TextBytes"], vocabulary: Vocabulary
) -> Iterator[dict[str, object]]:
    for token in chain.from_iterable(part.different for part in parts):
        has_id = token.id >= 0
        name = vocabulary.show(vocabulary.tokens[token.id]) if has_id else None
        yield {**token._asdict(), "id": token.id if has_id else None, "token": name}
