"""The short table at the end of a run."""

from collections.abc import Mapping

from tokbench.report.choose import largest
from tokbench.report.numbers import number
from tokbench.report.table import aligned_table
from tokbench.run_folder import Run
from tokbench.run_folder.record import OutcomeRecord
from tokbench.run_folder.tables import Row

HEADLINES = ("oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro")


def summary(run: Run) -> str:
    """Show each system at its largest size: a few headline metrics, or the first that there are."""
    names = [metric.name for metric in run.record.metrics]
    metrics = [name for name in HEADLINES if name in names] or names[: len(HEADLINES)]
    found = {name: _first_corpus(run, name) for name in metrics}
    chosen = {name: corpus for name, corpus in found.items() if corpus is not None}
    rows = [
        (outcome.system, str(outcome.vocabulary_size), *_cells(run, outcome, chosen))
        for outcome in largest(run)
    ]
    return aligned_table(("system", "|V|", *chosen), rows) + _where(chosen)


def _where(chosen: Mapping[str, str]) -> str:
    """Say on which corpora the shown numbers were measured."""
    corpora: dict[str, list[str]] = {}
    for metric, corpus in chosen.items():
        corpora.setdefault(corpus, []).append(metric)
    on = "; ".join(f"{', '.join(metrics)}: {corpus}" for corpus, metrics in corpora.items())
    return f"({on})" if on else ""


def _first_corpus(run: Run, metric: str) -> str | None:
    return next((row.corpus for row in run.rows if row.metric == metric), None)


def _cells(run: Run, outcome: OutcomeRecord, chosen: Mapping[str, str]) -> list[str]:
    # Of what stands both in context and alone, the first is the system's own.
    wanted = {
        (row.metric, row.corpus): row
        for row in reversed(run.rows)
        if row.system == outcome.system and row.size == outcome.size and row.subset == "all"
    }
    return [_value(wanted.get(key)) for key in chosen.items()]


def _value(row: Row | None) -> str:
    return "" if row is None or row.value is None else number(row.value)
