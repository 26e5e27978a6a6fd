"""The text files of a run folder that people read, by file name."""

from tokbench.printing import code, markdown_table
from tokbench.report.advice import which_size
from tokbench.report.choose import main_corpus
from tokbench.report.coverage import coverage, tradeoff
from tokbench.report.curves import curve_tables
from tokbench.report.examples import frequent_splits, unseen_words
from tokbench.report.numbers import family
from tokbench.report.overview import overview
from tokbench.run_folder import Run


def documents(run: Run) -> dict[str, str]:
    """Return the report, a pure function of the results, and the measured cost, which is not."""
    return {"report.md": report(run), "cost.md": cost_report(run)}


def report(run: Run) -> str:
    """Write the report: coverage first, then what is unseen and unknown, then the rest."""
    gold = next((test.name for test in run.record.tests if test.kind == "gold"), None)
    sections = [
        overview(run),
        coverage(run),
        family(run, "oov", "Out of vocabulary"),
        tradeoff(run),
        which_size(run.advice, run.sizes, main_corpus(run).name, gold),
        family(run, "segmentation", "Segmentation"),
        family(run, "boundaries", "Boundaries against gold segmentations"),
        curve_tables(run),
        frequent_splits(run),
        unseen_words(run),
        signatures(run),
    ]
    return "\n".join(section for section in sections if section)


def signatures(run: Run) -> str:
    """List one signature for each system, size and context, on the first corpus."""
    test = main_corpus(run)
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
