"""What several sections do alike: choose outcomes and corpora, name systems, join equal lines."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from tokbench.report.table import markdown_table
from tokbench.run_folder import Run
from tokbench.run_folder.record import CorpusRecord, OutcomeRecord
from tokbench.run_folder.tables import CoverageRow, Row, size_number

R = TypeVar("R", Row, CoverageRow)
S = TypeVar("S")


def largest(run: Run) -> list[OutcomeRecord]:
    """Return each system's outcome with the largest vocabulary asked for, in config order.

    Isolated outcomes of a system that is also cut in context are left out.
    """
    found: dict[str, OutcomeRecord] = {}
    for outcome in (outcome for outcome in run.record.outcomes if not outcome.isolated_copy):
        before = found.get(outcome.system)
        if before is None or size_number(outcome.size) > size_number(before.size):
            found[outcome.system] = outcome
    return list(found.values())


def names(run: Run) -> list[str]:
    """Return the names under which tables show systems: some stand both in context and alone."""
    found = []
    for system in run.record.systems:
        of_system = [o.name for o in run.record.outcomes if o.system == system.name]
        found += [system.name, *dict.fromkeys(name for name in of_system if name != system.name)]
    return found


def named(run: Run, rows: Iterable[R]) -> list[R]:
    """Return rows with the names under which tables show systems."""
    copies = {(o.system, o.size): o.name for o in run.record.outcomes if o.isolated_copy}
    if not copies:
        return list(rows)
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    return [
        replace(row, system=copies.get((row.system, row.size), row.system))
        if row.context == "isolated" and row.corpus in texts
        else row
        for row in rows
    ]


def agreeing(lines: Iterable[tuple[str, S]]) -> list[tuple[str, S]]:
    """Return systems with what is shown of them; those that agree share a line, as `a, b`."""
    found: dict[S, list[str]] = {}
    for system, shown in lines:
        found.setdefault(shown, []).append(system)
    return [(", ".join(systems), shown) for shown, systems in found.items()]


def system_table(
    systems: Iterable[str],
    columns: Mapping[str, str],
    cells: Mapping[tuple[str, str], str],
    right: int | None = None,
) -> str:
    """Return a table of systems x columns, which have titles; systems that agree share a row.

    `cells` are texts by system and column, empty where there is none.
    """
    lines = [
        (system, tuple(cells.get((system, column), "") for column in columns)) for system in systems
    ]
    rows = [(joined, *line) for joined, line in agreeing(lines)]
    return markdown_table(("system", *columns.values()), rows, right)


def main_corpus(run: Run) -> CorpusRecord:
    """Return the corpus that examples are taken from: the first one."""
    return run.record.tests[0]


def size_columns(run: Run) -> dict[str, str]:
    """Return the title of a column for each size, smallest first; the empty one comes last."""
    asked = {outcome.size for outcome in run.record.outcomes}
    ordered = sorted(asked, key=lambda size: (size == "", ":" in size, size_number(size)))
    return {size: size or "one size only" for size in ordered}
