"""The signatures by which someone else gets the same numbers."""

from tokbench.report.choose import main_corpus
from tokbench.report.table import code
from tokbench.run_folder import Run


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
