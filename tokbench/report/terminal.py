"""The short table at the end of a run."""

from collections.abc import Mapping

from tokbench.printing import aligned_table
from tokbench.report.choose import largest
from tokbench.report.numbers import number
from tokbench.run_folder import Run

HEADLINES = ("oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro")


def summary(run: Run) -> str:
    """Show each system at its largest size: a few headline metrics, or the first that there are."""
    names = [metric.name for metric in run.record.metrics]
    wanted = [name for name in HEADLINES if name in names] or names[: len(HEADLINES)]
    # Reversed, so that the first corpus of a metric counts; and of what stands both in context and
    # alone the first, which is the system's own.
    corpora = {row.metric: row.corpus for row in reversed(run.rows)}
    values = {
        (row.system, row.size, row.metric, row.corpus): row.value
        for row in reversed(run.rows)
        if row.subset == "all"
    }
    chosen = {name: corpora[name] for name in wanted if name in corpora}
    rows = [
        (
            outcome.system,
            str(outcome.vocabulary_size),
            *(number(values.get((outcome.system, outcome.size, *key))) for key in chosen.items()),
        )
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
