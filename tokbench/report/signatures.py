"""The signatures by which someone else gets the same numbers."""

from tokbench.report.choose import main_corpus
from tokbench.report.table import code
from tokbench.runner.run import Run
from tokbench.runner.signature import signer


def signatures(run: Run) -> str:
    """List one signature for each system and size; each number's own is in results.csv."""
    test = main_corpus(run)
    lines = []
    for outcome in run.outcomes:
        if test.name in outcome.segmentations:
            given = (run.experiment, outcome.system, outcome.size, run.corpora.train, test)
            in_context = outcome.context_on(test.name) == "in-context"
            lines.append(code(signer(*given, in_context)("METRIC")))
    return (
        "\n## Signatures\n\nCite a number with its signature, which names everything that it "
        "depends on: components with options that differ from their defaults, size, corpora with "
        "the first digits of their SHA-256, scoring words, metric, resampling, versions. Those for "
        f"{test.name}; `results.csv` holds the signature of every number.\n\n"
        + "".join(f"- {line}\n" for line in lines)
    )
