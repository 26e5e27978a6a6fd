"""The report, in a few pages, and the measured cost."""

from tokbench.printing import escaped, markdown_table
from tokbench.run_folder import Run
from tokbench_views.answer import answer_section
from tokbench_views.coverage import gate, tradeoff
from tokbench_views.examples import chosen_words
from tokbench_views.metric_tables import corpus_tables
from tokbench_views.oov import short_oov
from tokbench_views.overview import overview
from tokbench_views.shared import whole_text
from tokbench_views.sizes import short_advice
from tokbench_views.spelling import rounded

MORE = """
## More

`metrics.md` has every metric at all sizes and the details of this report; `report.html` the same
numbers as charts; `results.csv` all numbers. `tokbench show RUN cite` prints the signatures with
which to cite a number.
"""


def report(run: Run) -> str:
    """Write the report: the answer, what was compared, and one table for each question."""
    run = whole_text(run)
    sections = [
        overview(run),
        gate(run),
        short_oov(run),
        corpus_tables(run),
        tradeoff(run),
        short_advice(run),
        chosen_words(run),
        MORE,
    ]
    text = "\n".join(f"{section.strip()}\n" for section in sections if section)
    title = f"# Tokenizer comparison: {escaped(run.record.name)}\n"
    return f"{title}{answer_section(run, text)}\n{text}"


def cost_report(run: Run) -> str:
    """Write cost.md: each step's seconds, and the peak memory of the process at its end."""
    rows = [
        (
            *(cost.system, cost.step, cost.size or "all"),
            *(rounded(cost.seconds, 3), rounded(cost.peak_mb, 0)),
        )
        for cost in run.record.cost
    ]
    total = sum(cost.seconds for cost in run.record.cost)
    head = ("system", "step", "size", "seconds", "peak memory, MB")
    return (
        "# Measured cost\n\nIf smaller vocabularies can be cut from a larger one, a system learns "
        "once, at its largest size. The peak memory is that of the whole process, from its start "
        "to the end of the step. The seconds were measured once, on one machine (see `run.json`): "
        f"compare them as ratios.\n\nAll steps: {rounded(total, 2)} s.\n\n"
        + markdown_table(head, rows, right=2)
    )
