"""`tokbench compare`: two runs side by side."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

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
    run_folder,
    say_results,
)
from tokbench.printing import (
    NARROW,
    NARROW_MEANS,
    Table,
    code,
    escaped,
    json_text,
    one_line,
    rounded,
    whole_characters,
)
from tokbench_commands.shared import choice_option, read_run, reading, with_output
from tokbench_commands.two_runs import (
    CSV,
    ComparedNumber,
    CutPlace,
    DifferentCut,
    Setting,
    TwoRuns,
    compare_runs,
)

ASSERTIONS = ("assertion", "result", "why not")
NUMBERS = ("system", "corpus", "subset", "metric", "first", "second", "difference", "interval", "p")
CUTS = ("system", "corpus", "distinct words", "running words")
WORDS = ("word", "count", "first", "second")


@click.command()
@click.argument("first", metavar="RUN", type=PATH)
@click.argument("second", metavar="RUN", type=PATH)
@click.option("--system", "systems", multiple=True, help="Show this system [default: all].")
@click.option("--metric", "metrics", multiple=True, help="Show this metric [default: all].")
@click.option("--subset", "subsets", multiple=True, help="Show this subset [default: all, unseen].")
@click.option(
    "--words", default=10, show_default=True, help="Show so many words that are cut differently."
)
@assert_option
@choice_option("--format", "form", ("text", "md", "csv", "json"), "How it is printed.")
@plugin_option
@with_output
def command(
    first: Path,
    second: Path,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    subsets: tuple[str, ...],
    words: int,
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
    both = read_run(first), read_run(second)
    with reading(first, second):
        runs = compare_runs(*both, registry)
    results = assertion_results(assertions, [*map(_asserted, runs.numbers)])
    numbers = _chosen(runs.numbers, {"system": systems, "metric": metrics, "subset": subsets})
    if form == "csv":
        sys.stdout.write(Table(CSV, numbers).to("csv"))
    elif form == "json":
        click.echo(json_text(_document(runs, numbers, words, results), indent=1))
    else:
        main = numbers if subsets else _main(numbers)
        cuts = {
            place: cut for place, cut in runs.cuts.items() if not systems or place.system in systems
        }
        parts = [*_parts(runs, main, cuts, words)]
        if form == "md" and results:
            rows = [(result.text, result.verdict, result.why) for result in results]
            parts.insert(0, Part("Assertions", Table(ASSERTIONS, rows)))
        click.echo("\n".join(part.to(form) for part in parts), nl=False)
    return 0 if say_results(results) else NOT_HELD


def _chosen(
    numbers: Sequence[ComparedNumber], wanted: Mapping[str, Sequence[str]]
) -> list[ComparedNumber]:
    """Return the numbers with the wanted names; raises UsageError for a name that none has."""
    from tokbench_views.shared import checked_name

    left = [*numbers]
    for kind, names in wanted.items():
        scored = dict.fromkeys(getattr(number, kind) for number in numbers)
        if chosen := {checked_name(kind, name, [*scored]) for name in names}:
            left = [number for number in left if getattr(number, kind) in chosen]
    return left


class Part(NamedTuple):
    """A part of what people see: a title, a table, which is left out without rows, a sentence."""

    title: str
    table: Table
    sentence: str = ""

    def to(self, form: str) -> str:
        """Write it as `text` or `md`."""
        if form == "text":
            table = self.table.to("table") if self.table.rows else ""
            sentence = f"{one_line(self.sentence)}\n" if self.sentence else ""
            return f"{one_line(self.title)}\n{table}{sentence}"
        columns, rows, level = self.table.columns, self.table.rows, "###"
        if columns == WORDS:
            rows, level = [[code(str(value)) for value in row] for row in rows], "####"
        table = Table(columns, rows).to("md") if rows else ""
        sentence = f"{self.sentence}\n" if self.sentence else ""
        return "\n".join(filter(None, [f"{level} {escaped(self.title)}\n", table, sentence]))


def _main(numbers: Sequence[ComparedNumber]) -> list[ComparedNumber]:
    """Return the numbers of all words, and those of unseen words that are not the same.

    They are the same in a list whose words are all unseen.
    """

    def values(number: ComparedNumber) -> tuple[object, ...]:
        return *number[:4], number.metric, number.first, number.second

    of_all = {values(number) for number in numbers if number.subset == "all"}
    return [
        number
        for number in numbers
        if number.subset == "all" or (number.subset == "unseen" and values(number) not in of_all)
    ]


def _parts(
    runs: TwoRuns,
    numbers: Sequence[ComparedNumber],
    cuts: Mapping[CutPlace, Sequence[DifferentCut]],
    words: int,
) -> Iterator[Part]:
    """Yield what people see, part by part."""
    same = "" if runs.settings else "All settings are the same."
    yield Part("Settings", Table(Setting._fields, runs.settings), same)
    if runs.left_out:
        yield Part("Not compared", Table(("what",), [[what] for what in runs.left_out]))
    different = [number for number in numbers if number.first != number.second]
    same = f"Equal numbers: {len(numbers) - len(different):,} of {len(numbers):,}."
    rows = [_number_row(number, runs.labels[number.metric]) for number in different]
    same += " p is Holm's over systems and sizes."
    if any(number.short_text for number in different):
        same += f" An interval with {NARROW} {NARROW_MEANS}."
    yield Part("Numbers", Table(NUMBERS, rows), same)
    changed = {place: cut for place, cut in cuts.items() if cut}
    table = [
        (place.label, place.corpus, f"{len(cut):,}", f"{sum(word.running for word in cut):,}")
        for place, cut in changed.items()
    ]
    alike = f"Segmentations with all words cut alike: {len(cuts) - len(changed)} of {len(cuts)}."
    yield Part("Words cut differently", Table(CUTS, table), alike)
    # One size of each system will do to see what happened: the last, which is the largest.
    largest = {place._replace(size=""): place for place in changed}
    for place in largest.values() if words > 0 else ():
        top = changed[place][:words]
        more = len(changed[place]) - len(top)
        table = [(w, f"{n:,}", _reading(first), _reading(second)) for w, n, first, second in top]
        title = f"{place.label} on {place.corpus}"
        yield Part(title, Table(WORDS, table), f"{more:,} more words." if more else "")


def _reading(tokens: Sequence[str]) -> str:
    return " ".join(whole_characters(tokens))


def _number_row(number: ComparedNumber, label: str) -> list[str]:
    interval = "" if number.low is None else f"{number.low:+.4g} to {number.high:+.4g}"
    interval += NARROW * bool(number.short_text)
    difference = "" if number.difference is None else f"{number.difference:+.4g}"
    p = "" if number.p_holm is None else rounded(number.p_holm, 3)
    if number.difference and number.better != "neither" and (number.p_holm or 1) < ALPHA:
        higher = number.difference > 0
        p += " better" if higher == (number.better == "higher") else " worse"
    values = ("" if v is None else f"{v:.6g}" for v in (number.first, number.second))
    system = str(run_folder.SystemSize(number.system, number.size))
    place = (system, number.corpus, number.subset, label)
    return [*place, *values, difference, interval, p]


def _document(
    runs: TwoRuns,
    numbers: Sequence[ComparedNumber],
    words: int,
    results: Sequence[AssertionResult],
) -> Mapping[str, Any]:
    return {
        "assertions": [
            {"assertion": result.text, "holds": not result.failures, "why-not": result.failures}
            for result in results
        ],
        "settings": [setting._asdict() for setting in runs.settings],
        "left-out": runs.left_out,
        "numbers": [dict(zip(CSV, number, strict=True)) for number in numbers],
        "cuts": [
            {
                **place._asdict(),
                "distinct": len(cut),
                "running": sum(word.running for word in cut),
                "words": [word._asdict() for word in cut[:words]],
            }
            for place, cut in runs.cuts.items()
        ],
    }


def _asserted(number: ComparedNumber) -> AssertedNumber:
    """Return a difference as assertions see it, in percent of the first run's value too."""
    values = (number.difference, number.low, number.high)

    def percent(value: float | None) -> float | None:
        if value is None or not number.first:
            return 0.0 if value == 0 else None  # nothing more than nothing
        return 100 * value / number.first

    shares = percent(number.difference), percent(number.low), percent(number.high)
    place = number.system, number.size, number.corpus, number.subset, number.metric
    return AssertedNumber(*place, *values, shares)
