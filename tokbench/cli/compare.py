"""`tokbench compare`: two runs side by side."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokbench import plugins
from tokbench.assertions import AssertedNumber
from tokbench.cli.assertions import NOT_HELD, assert_option, parse_assertions, say_results
from tokbench.cli.options import PATH, choice_option, plugin_option
from tokbench.printing import (
    aligned_table,
    code,
    escaped,
    json_text,
    markdown_table,
    one_line,
    print_table,
)
from tokbench.significance import ALPHA

if TYPE_CHECKING:
    from tokbench.runner.two_runs import DifferentCuts, NumberPair, TwoRuns

SETTINGS = ("what", "first", "second")
NUMBERS = ("system", "corpus", "subset", "metric", "first", "second", "difference", "interval", "p")
CUTS = ("system", "corpus", "distinct words", "running words")
WORDS = ("word", "count", "first", "second")
CSV = (
    "system", "size", "context", "corpus", "subset", "metric", "better", "first", "second",
    "difference", "low", "high", "p", "p-holm",
)  # fmt: skip
MAIN = ("all", "unseen")


@click.command()
@click.argument("first", metavar="RUN", type=PATH)
@click.argument("second", metavar="RUN", type=PATH)
@click.option("--system", "systems", multiple=True, help="Show this system [default: all].")
@click.option("--metric", "metrics", multiple=True, help="Show this metric [default: all].")
@click.option("--subset", "subsets", multiple=True, help="Show this subset [default: all, unseen].")
@click.option(
    "--words", default=10, show_default=True, help="Show so many words that are cut differently."
)
@click.option("--every", is_flag=True, help="Show numbers too that are the same in both runs.")
@assert_option
@choice_option("--format", "form", ("text", "md", "csv", "json"), "How it is printed.")
@plugin_option
def command(
    first: Path,
    second: Path,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    subsets: tuple[str, ...],
    words: int,
    every: bool,
    asserted: tuple[str, ...],
    form: str,
    plugin_files: tuple[Path, ...],
) -> int:
    """Compare two runs: settings, numbers, and the words that are cut differently.

    Numbers are counted again from the tokens that the runs kept, and tested in pairs, where both
    have the same test text. A difference is the second run minus the first. In an assertion the
    value is this difference, or, before a %, its share of the first run's value.
    """
    assertions = parse_assertions(asserted, differences=True)
    registry = plugins.load(plugin_files, lazy=True)
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.run_folder import Run
    from tokbench.runner.two_runs import compare_runs

    found = compare_runs(Run.load(first), Run.load(second), registry)
    shown = [
        one
        for one in found.numbers
        if (not systems or one.system in systems)
        and (not metrics or one.metric in metrics)
        and (not subsets or one.subset in subsets)
    ]
    if form == "csv":
        print_table(CSV, [[*map(_cell, asdict(one).values())] for one in shown], "csv", sys.stdout)
    elif form == "json":
        click.echo(json_text(_document(found, shown, words), indent=1))
    else:
        main = shown if subsets else _doubled([one for one in shown if one.subset in MAIN])
        cuts = [one for one in found.cuts if not systems or one.system in systems]
        printed = (*_parts(found, main, cuts, words, every),)
        click.echo(_markdown(printed) if form == "md" else _text(printed), nl=False)
    return 0 if say_results(assertions, [*map(_asserted, found.numbers)]) else NOT_HELD


Part = tuple[str, Sequence[str], Sequence[Sequence[str]], str]
"""A title, a table (its columns and rows, which may be none), and a sentence."""


def _parts(
    found: "TwoRuns",
    numbers: Sequence["NumberPair"],
    cuts: Sequence["DifferentCuts"],
    words: int,
    every: bool,
) -> Iterator[Part]:
    """Yield what people see, part by part."""
    rows = [[*one] for one in found.settings]
    yield "Settings", SETTINGS, rows, "" if rows else "All settings are the same."
    if found.left_out:
        yield "Not compared", ("what",), [[one] for one in found.left_out], ""
    different = [one for one in numbers if one.first != one.second]
    same = f"{len(numbers) - len(different):,} of {len(numbers):,} numbers are the same."
    rows = [_number_row(one) for one in (numbers if every else different)]
    yield "Numbers", NUMBERS, rows, f"{same} p is Holm's over systems and sizes."
    changed = [one for one in cuts if one.distinct]
    rows = [[_label(one), one.corpus, f"{one.distinct:,}", f"{one.running:,}"] for one in changed]
    none = f"In {len(cuts) - len(changed)} of {len(cuts)} segmentations all words are cut alike."
    yield "Words cut differently", CUTS, rows, none
    # One size of each system will do to see what happened: the last, which is the largest.
    largest = {(one.system, one.context, one.corpus): one for one in changed}
    for one in largest.values() if words > 0 else ():
        rows = [
            [cut.word, f"{cut.running:,}", " ".join(cut.first), " ".join(cut.second)]
            for cut in one.words[:words]
        ]
        more = one.distinct - len(rows)
        title = f"{_label(one)} on {one.corpus}"
        yield title, WORDS, rows, f"{more:,} more words." if more else ""


def _doubled(numbers: Sequence["NumberPair"]) -> list["NumberPair"]:
    """Leave out numbers of the unseen words of a list whose words are all unseen."""
    whole = {(*_place(one), one.first, one.second) for one in numbers if one.subset == "all"}
    return [
        one
        for one in numbers
        if one.subset != "unseen" or (*_place(one), one.first, one.second) not in whole
    ]


def _place(one: "NumberPair") -> tuple[str, ...]:
    return one.system, one.size, one.context, one.corpus, one.metric


def _number_row(one: "NumberPair") -> list[str]:
    interval = f"{one.low:+.4g} to {one.high:+.4g}" if one.low is not None else ""
    difference = "" if one.difference is None else f"{one.difference:+.4g}"
    p = "" if one.p_holm is None else f"{one.p_holm:.3f}"
    if one.difference and one.better != "neither" and (one.p_holm or 1) < ALPHA:
        p += " better" if (one.difference > 0) == (one.better == "higher") else " worse"
    values = (f"{value:.6g}" for value in (one.first, one.second))
    return [_label(one), one.corpus, one.subset, one.metric, *values, difference, interval, p]


def _label(one: "NumberPair | DifferentCuts") -> str:
    return f"{one.system}@{one.size}" if one.size else one.system


def _text(parts: Sequence[Part]) -> str:
    written = []
    for title, columns, rows, sentence in parts:
        table = aligned_table(columns, rows) if rows else ""
        said = f"{sentence}\n" if sentence else ""
        written.append(f"{one_line(title)}\n{table}{one_line(said.rstrip())}".rstrip() + "\n")
    return "\n".join(written)


def _markdown(parts: Sequence[Part]) -> str:
    written = []
    for title, columns, rows, sentence in parts:
        cells = rows
        if columns == WORDS:
            cells = [[code(cell, in_table=True) for cell in row] for row in rows]
        table = markdown_table(columns, cells, verbatim=columns == WORDS) if rows else ""
        head = "####" if columns == WORDS else "###"
        said = f"{sentence}\n" if sentence else ""
        written.append("\n".join(filter(None, [f"{head} {escaped(title)}\n", table, said])))
    return "\n".join(written)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _document(found: "TwoRuns", numbers: Sequence["NumberPair"], words: int) -> Mapping[str, Any]:
    return {
        "settings": [one._asdict() for one in found.settings],
        "left-out": found.left_out,
        "numbers": [
            {key.replace("_", "-"): value for key, value in asdict(one).items()} for one in numbers
        ],
        "cuts": [
            {**asdict(one), "words": [cut._asdict() for cut in one.words[:words]]}
            for one in found.cuts
        ],
    }


def _asserted(one: "NumberPair") -> AssertedNumber:
    """Return a difference as assertions see it, in percent of the first run's value too."""
    values = (one.difference, one.low, one.high)

    def percent(value: float | None) -> float | None:
        return None if value is None or not one.first else 100 * value / one.first

    shares = percent(one.difference), percent(one.low), percent(one.high)
    place = one.system, one.size, one.corpus, one.subset, one.metric
    return AssertedNumber(*place, *values, shares)
