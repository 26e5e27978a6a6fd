"""What several sections choose alike: the outcomes at the largest size, the first text corpus."""

from dataclasses import replace

from tokbench.corpora.load import TestCorpus
from tokbench.runner.results import Row
from tokbench.runner.run import Outcome, Run


def largest(run: Run) -> list[Outcome]:
    """Give each system's outcome with the largest vocabulary asked for, in config order.

    What was cut alone beside the same in context is left out.
    """
    found: dict[str, Outcome] = {}
    for outcome in (outcome for outcome in run.outcomes if not outcome.beside):
        before = found.get(outcome.system.name)
        if before is None or _asked(outcome) > _asked(before):
            found[outcome.system.name] = outcome
    return list(found.values())


def names(run: Run) -> list[str]:
    """Give the names under which tables show systems: some stand both in context and alone."""
    found = []
    for system in run.experiment.systems:
        of_system = [o.name for o in run.outcomes if o.system is system]
        found += [system.name, *dict.fromkeys(name for name in of_system if name != system.name)]
    return found


def named_rows(run: Run) -> list[Row]:
    """Give all rows, with the names under which tables show systems."""
    beside = {
        (o.system.name, o.size_label, corpus): o.name
        for o in run.outcomes
        if o.beside
        for corpus in o.estimates
    }
    return [
        replace(row, system=beside.get((row.system, row.size, row.corpus), row.system))
        if row.context == "isolated"
        else row
        for row in run.rows
    ]


def label(outcome: Outcome) -> str:
    """Name a system with the size that it was asked for, if any: `bpe@4000`."""
    return outcome.system.name + (f"@{outcome.size_label}" if outcome.size else "")


def main_corpus(run: Run) -> TestCorpus:
    """Give the corpus that examples are taken from: the first one."""
    return run.corpora.tests[0]


def sizes(run: Run) -> list[str]:
    """Give the size labels of all outcomes, smallest first, the empty one last."""
    asked = {outcome.size_label: outcome for outcome in run.outcomes}
    return sorted(asked, key=lambda size: (size == "", ":" in size, _asked(asked[size])))


def _asked(outcome: Outcome) -> int:
    return outcome.size.number if outcome.size else 0


def size_title(label: str) -> str:
    """Title a size column; the column of systems without sizes says so."""
    return label or "no size"
