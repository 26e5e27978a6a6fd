"""The short table at the end of a run."""

from tokbench.printing import aligned_table
from tokbench.report.choose import agreeing, headline_metrics, largest
from tokbench.report.numbers import number
from tokbench.run_folder import Run

HEADLINES = ("oov-words-running", "fertility", "kept-whole-running", "boundary-f1-micro")


def summary(run: Run) -> str:
    """Show each system at its largest size: a few headline metrics, or the first that there are."""
    wanted = headline_metrics(HEADLINES, (metric.name for metric in run.record.metrics))
    # Reversed, so that the first corpus of a metric counts; and of what stands both in context and
    # alone the first, which is the system's own.
    corpora = {row.metric: row.corpus for row in reversed(run.rows)}
    values = {
        (row.system, row.size, row.metric): row.value
        for row in reversed(run.rows)
        if row.subset == "all" and row.corpus == corpora[row.metric]
    }
    chosen = {name: corpora[name] for name in wanted if name in corpora}
    rows = [
        (
            outcome.system,
            str(outcome.vocabulary_size),
            *(number(values.get((outcome.system, outcome.size, name))) for name in chosen),
        )
        for outcome in largest(run)
    ]
    where = "; ".join(f"{metrics}: {corpus}" for metrics, corpus in agreeing(chosen.items()))
    return aligned_table(("system", "|V|", *chosen), rows) + (f"({where})" if where else "")
