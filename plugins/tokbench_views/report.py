"""The whole report, and the measured cost."""

from tokbench.printing import code, escaped, markdown_table
from tokbench.run_folder import Run
from tokbench_views.answer import answer_section
from tokbench_views.coverage import coverage, tradeoff
from tokbench_views.curves import curve_tables
from tokbench_views.examples import frequent_splits, unseen_words
from tokbench_views.health import health, numbers
from tokbench_views.metric_tables import family
from tokbench_views.oov import oov
from tokbench_views.overview import overview
from tokbench_views.shared import whole_text
from tokbench_views.sizes import which_size


def report(run: Run) -> str:
    """Write the report: the answer, coverage, what is unseen and unknown, then the rest."""
    every, run = run, whole_text(run)
    gold = next((test.name for test in run.record.tests if test.kind == "gold"), None)
    sections = [
        overview(run),
        coverage(run),
        oov(every),
        health(run),
        numbers(run),
        family(run, "oov", "Out of vocabulary"),
        tradeoff(run),
        which_size(run.advice, run.sizes, run.record.tests[0].name, gold),
        family(run, "segmentation", "Segmentation"),
        family(run, "boundaries", "Boundaries against gold segmentations"),
        curve_tables(run),
        frequent_splits(run),
        unseen_words(run),
        signatures(run),
    ]
    text = "\n".join(section for section in sections if section)
    title = f"# Tokenizer comparison: {escaped(run.record.name)}\n"
    return f"{title}{answer_section(run, text)}\n{text}"


def signatures(run: Run) -> str:
    """List one signature for each system, size and context, on the first corpus."""
    test = run.record.tests[0]
    lines = [code(run.signed(row, "METRIC")) for row in run.coverage if row.corpus == test.name]
    return (
        "\n## Signatures\n\nCite a number with its signature. The signature names everything that "
        "the number depends on: components with options that differ from their defaults, size, "
        "corpora with the first digits of their SHA-256, scoring words, metric, resampling, "
        f"versions. These are the signatures for {test.name}. `signatures.csv` holds the parts of "
        "all signatures.\n\n" + "".join(f"- {line}\n" for line in lines)
    )


def cost_report(run: Run) -> str:
    """Write cost.md: each step's seconds, and the peak memory of the process at its end."""
    rows = [
        (cost.system, cost.step, cost.size or "all", f"{cost.seconds:.3f}", f"{cost.peak_mb:.0f}")
        for cost in run.record.cost
    ]
    total = sum(cost.seconds for cost in run.record.cost)
    head = ("system", "step", "size", "seconds", "peak memory, MB")
    return (
        "# Measured cost\n\nIf smaller vocabularies can be cut from a larger one, a system learns "
        "once, at its largest size. The peak memory is that of the whole process, from its start "
        "to the end of the step. The seconds were measured once, on one machine (see `run.json`): "
        f"compare them as ratios.\n\nAll steps: {total:.2f} s.\n\n"
        + markdown_table(head, rows, right=2)
    )
