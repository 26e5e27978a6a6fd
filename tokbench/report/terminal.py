"""The short table at the end of a run."""

from tokbench.report.choose import largest
from tokbench.report.numbers import number
from tokbench.report.table import aligned_table
from tokbench.runner.results import Row
from tokbench.runner.run import Outcome, Run

HEADLINES = (
    "oov-words-running",
    "unknown-characters",
    "fertility",
    "chars-per-token",
    "kept-whole-running",
    "boundary-f1-micro",
)


def summary(run: Run) -> str:
    """Show each system at its largest size: a few headline metrics, or the first that there are."""
    names = [named.name for named in run.experiment.metrics]
    metrics = [name for name in HEADLINES if name in names] or names[: len(HEADLINES)]
    chosen = {name: _first_corpus(run, name) for name in metrics}
    columns = [f"{name} ({corpus})" for name, corpus in chosen.items() if corpus]
    rows = [
        (outcome.system.name, str(outcome.vocabulary.size), *_cells(run, outcome, chosen))
        for outcome in largest(run)
    ]
    return aligned_table(("system", "|V|", *columns), rows)


def _first_corpus(run: Run, metric: str) -> str | None:
    return next((row.corpus for row in run.rows if row.metric == metric), None)


def _cells(run: Run, outcome: Outcome, chosen: dict[str, str | None]) -> list[str]:
    wanted = {
        (row.metric, row.corpus): row
        for row in run.rows
        if row.system == outcome.system.name
        and row.size == outcome.size_label
        and row.subset == "all"
    }
    return [_value(wanted.get((metric, corpus))) for metric, corpus in chosen.items() if corpus]


def _value(row: Row | None) -> str:
    return "" if row is None or row.value is None else number(row.value)
