"""What several sections do alike: choose outcomes and corpora, name systems, join equal lines."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from tokbench.run_folder import Run
from tokbench.run_folder.record import CorpusRecord, OutcomeRecord
from tokbench.run_folder.tables import CoverageRow, Row

R = TypeVar("R", Row, CoverageRow)
S = TypeVar("S")


def largest(run: Run) -> list[OutcomeRecord]:
    """Return each system's outcome with the largest vocabulary asked for, in config order.

    Isolated outcomes of a system that is also cut in context are left out.
    """
    found: dict[str, OutcomeRecord] = {}
    for outcome in (outcome for outcome in run.record.outcomes if not outcome.beside):
        before = found.get(outcome.system)
        if before is None or _asked(outcome.size) > _asked(before.size):
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
    beside = {(o.system, o.size): o.name for o in run.record.outcomes if o.beside}
    texts = {test.name for test in run.record.tests if test.kind == "text"}
    return [
        replace(row, system=beside[row.system, row.size])
        if row.context == "isolated" and (row.system, row.size) in beside and row.corpus in texts
        else row
        for row in rows
    ]


def agreeing(lines: Iterable[tuple[str, S]]) -> list[tuple[str, S]]:
    """Return systems with what is shown of them; those that agree share a line, as `a, b`."""
    found: dict[S, list[str]] = {}
    for system, shown in lines:
        found.setdefault(shown, []).append(system)
    return [(", ".join(systems), shown) for shown, systems in found.items()]


def main_corpus(run: Run) -> CorpusRecord:
    """Return the corpus that examples are taken from: the first one."""
    return run.record.tests[0]


def sizes(run: Run) -> list[str]:
    """Return the sizes of all outcomes, smallest first, the empty one last."""
    asked = {outcome.size for outcome in run.record.outcomes}
    return sorted(asked, key=lambda size: (size == "", ":" in size, _asked(size)))


def _asked(size: str) -> int:
    return int(size.rpartition(":")[2] or 0)


def size_title(size: str) -> str:
    """Title a size column; systems without a choice of sizes share a column of their own."""
    return size or "one size only"
