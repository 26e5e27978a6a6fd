"""The signatures by which someone else gets the same numbers."""

from tokbench.report.choose import main_corpus
from tokbench.report.table import code
from tokbench.runner.run import Run
from tokbench.runner.signature import signer


def signatures(run: Run) -> str:
    """List one signature for each system and size; each number's own is in results.csv."""
    test = main_corpus(run)
    lines = [
        code(signer(run.experiment, o.system, o.size, run.corpora.train, test)("METRIC"))
        for o in run.outcomes
    ]
    return (
        "\n## Signatures\n\nCite a number with its signature, which names everything that it "
        "depends on: components with options that differ from their defaults, size, corpora with "
        "the first digits of their SHA-256, scoring words, metric, resampling, version. Those for "
        f"{test.name}; `results.csv` holds the signature of every number.\n\n"
        + "".join(f"- {line}\n" for line in lines)
    )
