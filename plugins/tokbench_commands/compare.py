"""`tokbench compare`: two runs side by side."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokbench.commands import (
    ALPHA,
    NOT_HELD,
    PATH,
    AssertedNumber,
    AssertionResult,
    assert_option,
    assertion_results,
    load,
    parse_assertions,
    plugin_option,
    say_results,
)
from tokbench.printing import (
    aligned_table,
    code,
    escaped,
    json_text,
    markdown_table,
    one_line,
    print_table,
)
from tokbench_commands.components import choice_option

if TYPE_CHECKING:
    from tokbench_commands.two_runs import CutPlace, DifferentCut, Kind, PlacedNumber, TwoRuns

ASSERTIONS = ("assertion", "result", "why not")
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
    registry = load(plugin_files, lazy=True)
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.run_folder import Run
    from tokbench_commands.two_runs import compare_runs

    found = compare_runs(Run.load(first), Run.load(second), registry)
    held = assertion_results(assertions, [*map(_asserted, found.numbers)])
    shown = _chosen(found.numbers, {"system": systems, "metric": metrics, "subset": subsets})
    if form == "csv":
        cells = [[*map(_cell, _values(one))] for one in shown]
        print_table(CSV, cells, "csv", sys.stdout)
    elif form == "json":
        click.echo(json_text(_document(found, shown, words, held), indent=1))
    else:
        main = shown if subsets else _doubled([one for one in shown if one.number.subset in MAIN])
        cuts = {
            place: cut
            for place, cut in found.cuts.items()
            if not systems or place.system in systems
        }
        parts = [*_parts(found, main, cuts, words, every)]
        if form == "md" and held:
            table = [[one.text, one.verdict, one.why] for one in held]
            parts.insert(0, ("Assertions", ASSERTIONS, table, ""))
        click.echo(_markdown(parts) if form == "md" else _text(parts), nl=False)
    return 0 if say_results(held) else NOT_HELD


def _chosen(
    numbers: Sequence["PlacedNumber"], wanted: Mapping["Kind", Sequence[str]]
) -> list["PlacedNumber"]:
    """Return the numbers with the wanted names; raises UsageError for a name that none has."""
    from tokbench_views.shared import known_name

    left = [*numbers]
    for kind, names in wanted.items():
        known = dict.fromkeys(one.name(kind) for one in numbers)
        if chosen := {known_name(kind, name, [*known]) for name in names}:
            left = [one for one in left if one.name(kind) in chosen]
    return left


Part = tuple[str, Sequence[str], Sequence[Sequence[str]], str]
"""A title, a table (its columns and rows, which may be none), and a sentence."""


def _doubled(numbers: Sequence["PlacedNumber"]) -> list["PlacedNumber"]:
    """Leave out numbers of the unseen words of a list whose words are all unseen."""
    whole = {
        (one.place, one.number[0], *one.number[2:4])
        for one in numbers
        if one.number.subset == "all"
    }
    return [
        one
        for one in numbers
        if one.number.subset == "all" or (one.place, one.number[0], *one.number[2:4]) not in whole
    ]


def _parts(
    found: "TwoRuns",
    numbers: Sequence["PlacedNumber"],
    cuts: Mapping["CutPlace", Sequence["DifferentCut"]],
    words: int,
    every: bool,
) -> Iterator[Part]:
    """Yield what people see, part by part."""
    yield "Settings", SETTINGS, found.settings, "All settings are the same." * (not found.settings)
    if found.left_out:
        yield "Not compared", ("what",), [[one] for one in found.left_out], ""
    different = [one for one in numbers if one.number.first != one.number.second]
    same = f"{len(numbers) - len(different):,} of {len(numbers):,} numbers are the same."
    rows = [_number_row(one) for one in (numbers if every else different)]
    yield "Numbers", NUMBERS, rows, f"{same} p is Holm's over systems and sizes."
    changed = {place: cut for place, cut in cuts.items() if cut}
    table = [
        [place.label, place.corpus, f"{len(cut):,}", f"{sum(one.running for one in cut):,}"]
        for place, cut in changed.items()
    ]
    alike = f"In {len(cuts) - len(changed)} of {len(cuts)} segmentations all words are cut alike."
    yield "Words cut differently", CUTS, table, alike
    # One size of each system will do to see what happened: the last, which is the largest.
    largest = {place._replace(size=""): place for place in changed}
    for place in largest.values() if words > 0 else ():
        top = changed[place][:words]
        table = [[w, f"{n:,}", " ".join(one), " ".join(other)] for w, n, one, other in top]
        more = len(changed[place]) - len(top)
        title = f"{place.label} on {place.corpus}"
        yield title, WORDS, table, f"{more:,} more words." if more else ""


def _number_row(one: "PlacedNumber") -> list[str]:
    from tokbench_views.spelling import rounded

    number = one.number
    interval = "" if number.low is None else f"{number.low:+.4g} to {number.high:+.4g}"
    difference = "" if number.difference is None else f"{number.difference:+.4g}"
    p = "" if one.p_holm is None else rounded(one.p_holm, 3)
    if number.difference and one.better != "neither" and (one.p_holm or 1) < ALPHA:
        p += " better" if (number.difference > 0) == (one.better == "higher") else " worse"
    values = ("" if v is None else f"{v:.6g}" for v in (number.first, number.second))
    place = (one.place.label, one.place.corpus, number.subset, number.metric)
    return [*place, *values, difference, interval, p]


def _text(parts: Sequence[Part]) -> str:
    written = []
    for title, columns, rows, sentence in parts:
        table = aligned_table(columns, rows) if rows else ""
        said = f"{one_line(sentence)}\n" if sentence else ""
        written.append(f"{one_line(title)}\n{table}{said}")
    return "\n".join(written)


def _markdown(parts: Sequence[Part]) -> str:
    written = []
    for title, columns, rows, sentence in parts:
        is_words = columns == WORDS
        cells = [[code(cell, in_table=True) for cell in row] for row in rows] if is_words else rows
        table = markdown_table(columns, cells, verbatim=is_words) if rows else ""
        said = f"{sentence}\n" if sentence else ""
        head = f"{'####' if is_words else '###'} {escaped(title)}\n"
        written.append("\n".join(filter(None, [head, table, said])))
    return "\n".join(written)


def _values(one: "PlacedNumber") -> list[Any]:
    """Return the values of a number in the order of `CSV`."""
    place, (metric, subset, *numbers) = one.place, one.number
    return [*place, subset, metric, one.better, *numbers, one.p_holm]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _document(
    found: "TwoRuns",
    numbers: Sequence["PlacedNumber"],
    words: int,
    held: Sequence[AssertionResult],
) -> Mapping[str, Any]:
    return {
        "assertions": [
            {"assertion": one.text, "holds": not one.failures, "why-not": one.failures}
            for one in held
        ],
        "settings": [one._asdict() for one in found.settings],
        "left-out": found.left_out,
        "numbers": [dict(zip(CSV, _values(one), strict=True)) for one in numbers],
        "cuts": [
            {
                **place._asdict(),
                "distinct": len(cut),
                "running": sum(one.running for one in cut),
                "words": [one._asdict() for one in cut[:words]],
            }
            for place, cut in found.cuts.items()
        ],
    }


def _asserted(one: "PlacedNumber") -> AssertedNumber:
    """Return a difference as assertions see it, in percent of the first run's value too."""
    number = one.number
    values = (number.difference, number.low, number.high)

    def percent(value: float | None) -> float | None:
        if value is None or not number.first:
            return 0.0 if value == 0 else None  # nothing more than nothing
        return 100 * value / number.first

    shares = percent(number.difference), percent(number.low), percent(number.high)
    place = one.place.system, one.place.size, one.place.corpus, number.subset, number.metric
    return AssertedNumber(*place, *values, shares)
