"""All metrics at all sizes, and the details of unseen words: what the report leaves out."""

from tokbench.printing import code, escaped
from tokbench.run_folder import Run
from tokbench_views.coverage import coverage
from tokbench_views.curves import curve_tables
from tokbench_views.examples import frequent_splits, unseen_words
from tokbench_views.health import health, numbers
from tokbench_views.metric_tables import family
from tokbench_views.models import models
from tokbench_views.oov import oov
from tokbench_views.overview import reading
from tokbench_views.shared import whole_text
from tokbench_views.sizes import which_size

SIGNATURES = """
## Signatures

Cite a number with its signature. The signature names everything that the number depends on:
components with options that differ from their defaults, size, corpora with the first digits of
their SHA-256, scoring words, metric, resampling, versions. These are the signatures for {corpus}.
`signatures.csv` holds the parts of all signatures.

{lines}
In a caption of a table that names systems and sizes, what all of them share is enough:

{shared}
"""


def details(run: Run) -> str:
    """Write coverage, unseen words, health, then one section a metric, sizes and examples."""
    every, run = run, whole_text(run)
    gold = next((test.name for test in run.record.tests if test.kind == "gold"), None)
    sections = [
        f"# All metrics: {escaped(run.record.name)}\n{reading(run)}",
        coverage(run),
        oov(every),
        health(run),
        numbers(run),
        models(run),
        family(run, "oov", "Out of vocabulary"),
        which_size(run.advice, run.sizes, run.record.tests[0].name, gold),
        family(run, "segmentation", "Segmentation"),
        family(run, "boundaries", "Boundaries against gold segmentations"),
        curve_tables(run),
        frequent_splits(run),
        unseen_words(run),
        signatures(run),
    ]
    return "\n".join(f"{section.strip()}\n" for section in sections if section)


def signatures(run: Run) -> str:
    """List the signatures of each system and size on the first corpus, and what they share."""
    whole, shared = citations(run)
    lines = "".join(f"- {code(one)}\n" for one in whole)
    name = escaped(run.record.tests[0].name)
    return SIGNATURES.format(corpus=name, lines=lines, shared=code(shared)) if whole else ""


def citations(run: Run, corpus: str = "") -> tuple[list[str], str]:
    """Return the signatures of each system and size on a corpus, and what they share.

    Without a name it is the first corpus.
    """
    corpus = corpus or run.record.tests[0].name
    whole = [run.signed(row, "METRIC") for row in run.coverage if row.corpus == corpus]
    parts = [one.split("|") for one in whole]
    shared = [part for part in (parts or [[]])[0] if all(part in own for own in parts)]
    return whole, "|".join(shared)
