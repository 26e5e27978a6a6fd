"""Choose what sections show, name systems, join equal lines."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import groupby
from typing import TypeVar

from tokbench.api import UsageError
from tokbench.printing import markdown_table
from tokbench.run_folder import (
    CoverageRow,
    OutcomeRecord,
    Row,
    Run,
    UnseenRow,
    size_number,
    size_order,
)

R = TypeVar("R", Row, CoverageRow)
S = TypeVar("S")

Grid = tuple[Iterable[str], Mapping[str, str], Mapping[tuple[str, str], str]]
"""Systems, titles by column, and texts by system and column, empty where there is none."""


KINDS = {
    "new-character": "words with a character that the training text lacks",
    "punctuation": "seen words with punctuation",
    "case": "seen words in another case",
    "number": "numbers",
    "joined": "two seen words joined",
    "affix": "seen words with an affix",
    "other": "other words",
}
"""What each kind of unseen words is called."""

ANOTHER_DOMAIN = 2
"""A text of which so many times more words are unseen than the training text lets one expect."""

MAIN_METRICS = (
    "fertility", "kept-whole-running", "oov-words-running", "unknown-characters", "round-trip",
    "single-characters", "boundary-kappa", "boundary-f1-micro", "tokens", "bytes-per-token",
    "vocabulary-use", "renyi-efficiency-declared", "bits-per-byte", "bits-per-byte-witten-bell",
    "escaped-bytes", "parity", "kept-whole-distinct", "oov-words-distinct",
    "token-edit-distance", "boundary-flips", "fertility-change", "lost-whole",
    "new-unknown-characters",
)  # fmt: skip
"""The metrics that views show where a config lists none, the most used ones first."""

MOST_SYSTEMS = 12
"""Of how many systems the report shows more than one table."""

GATED = "†"
"""Marks a length or compression of text of which too much is unknown or lost."""


def whole_text(run: Run) -> Run:
    """Return a run without what was learned from a share of the training text."""
    return replace(run, rows=tuple(row for row in run.rows if row.training_share == 1))


def largest(run: Run) -> list[OutcomeRecord]:
    """Return each system's outcome with the largest vocabulary asked for, in config order.

    Isolated outcomes of a system that is also cut in context are left out.
    """
    own = (outcome for outcome in run.record.outcomes if not outcome.isolated_copy)
    by_system = groupby(own, key=lambda outcome: outcome.system)
    return [max(outcomes, key=lambda o: size_number(o.size)) for _, outcomes in by_system]


def first_of_learners(run: Run, most: int = MOST_SYSTEMS) -> list[OutcomeRecord]:
    """Return the largest outcome of each system; of many the first of each learner.

    The baseline is chosen before others of its learner.
    """
    every = largest(run)
    if len(every) <= most:
        return every
    learners = {system.name: system.learner for system in run.record.systems}
    found: dict[str, OutcomeRecord] = {}
    for one in sorted(every, key=lambda one: one.system != run.record.baseline):
        found.setdefault(learners[one.system], one)
    return [*found.values()][:most]


def by_size(run: Run, rows: Iterable[R], show: Callable[[R], str]) -> Grid:
    """Return the parts of a table of systems x sizes, with what is shown of each row.

    A system that is cut both in context and alone has two names there. If rows share a cell, the
    first is shown, which is the system's own.
    """
    copies = {(o.system, o.size): o.name for o in run.record.outcomes if o.isolated_copy}
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    cells: dict[tuple[str, str], str] = {}
    for row in rows:
        alone = row.context == "isolated" and row.corpus in texts
        name = copies.get((row.system, row.size), row.system) if alone else row.system
        cells.setdefault((name, row.size), show(row))
    isolated = {system: name for (system, _), name in copies.items()}
    both = ((system.name, isolated.get(system.name)) for system in run.record.systems)
    return [name for names in both for name in names if name], _size_columns(run), cells


def _size_columns(run: Run) -> dict[str, str]:
    """Return the title of a column for each size, smallest first; the empty one comes last."""
    asked = {outcome.size for outcome in run.record.outcomes}
    ordered = sorted(asked, key=size_order)
    return {size: size or "one size only" for size in ordered}


def agreeing(lines: Iterable[tuple[str, S]]) -> list[tuple[str, S]]:
    """Return names with what is shown of them; those that agree share a line, as `a, b`."""
    found: dict[S, list[str]] = {}
    for name, shown in lines:
        found.setdefault(shown, []).append(name)
    return [(", ".join(names), shown) for shown, names in found.items()]


def another_domain(unseen: UnseenRow) -> bool:
    """Tell whether surely far more words of a text are unseen than the training text promises."""
    expected, low = unseen.good_turing, unseen.low
    return expected is not None and low is not None and low > ANOTHER_DOMAIN * expected


def in_words(names: Iterable[str]) -> str:
    """List names as a sentence does.

    >>> in_words(["a"]), in_words(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def system_table(grid: Grid, right: int | None = None) -> str:
    """Return a table of systems x columns, which have titles; systems that agree share a row."""
    systems, columns, cells = grid
    lines = ((of, tuple(cells.get((of, column), "") for column in columns)) for of in systems)
    rows = [(joined, *line) for joined, line in agreeing(lines)]
    return markdown_table(("system", *columns.values()), rows, right)


def record_table(records: Sequence[Mapping[str, str]], right: int, verbatim: bool = False) -> str:
    """Return a Markdown table of records, at least one; their keys are the titles."""
    return markdown_table([*records[0]], [[*one.values()] for one in records], right, verbatim)


def known_name(kind: str, name: str, known: Sequence[str]) -> str:
    """Return a name that an option gives; raise UsageError, naming the nearest, where it is not."""
    if name in known:
        return name
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    raise UsageError(f"--{kind}: the run has no {kind} {name!r}; {hint}")


def listed_metrics(run: Run) -> list[str]:
    """Return the metrics that the config lists, of those that were measured; else none."""
    measured = {row.metric for row in run.rows}
    return [one.name for one in run.record.metrics if one.listed and one.name in measured]


def main_metrics(run: Run, most: int | None = None) -> list[str]:
    """Return the metrics to show: those that the config lists, and the main ones.

    A config that lists no metric shows the main ones, or all if none of these was measured; `most`
    limits how many.
    """
    listed = listed_metrics(run)
    measured = {row.metric for row in run.rows}
    main = [name for name in MAIN_METRICS if name in measured]
    if listed:
        return list(dict.fromkeys([*listed, *main]))
    return (main or [one.name for one in run.record.metrics if one.name in measured])[:most]


def headline_metrics(wanted: Sequence[str], measured: Iterable[str]) -> list[str]:
    """Return the wanted metrics that were measured; where none was, the first ones that were."""
    names = list(measured)
    return [name for name in wanted if name in names] or names[: len(wanted)]
