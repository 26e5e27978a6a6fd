"""The short table at the end of a run."""

from collections.abc import Mapping

from tokbench.report.choose import largest
from tokbench.report.numbers import number
from tokbench.report.table import aligned_table
from tokbench.runner.results import Row
from tokbench.runner.run import Outcome, Run

HEADLINES = ("oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro")


def summary(run: Run) -> str:
    """Show each system at its largest size: a few headline metrics, or the first that there are."""
    names = [named.name for named in run.experiment.metrics]
    metrics = [name for name in HEADLINES if name in names] or names[: len(HEADLINES)]
    found = {name: _first_corpus(run, name) for name in metrics}
    chosen = {name: corpus for name, corpus in found.items() if corpus is not None}
    rows = [
        (outcome.system.name, str(outcome.vocabulary.size), *_cells(run, outcome, chosen))
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


def _cells(run: Run, outcome: Outcome, chosen: Mapping[str, str]) -> list[str]:
    # Of what stands both in context and alone, the first is the system's own.
    wanted = {
        (row.metric, row.corpus): row
        for row in reversed(run.rows)
        if row.system == outcome.system.name
        and row.size == outcome.size_label
        and row.subset == "all"
    }
    return [_value(wanted.get(key)) for key in chosen.items()]


def _value(row: Row | None) -> str:
    return "" if row is None or row.value is None else number(row.value)
