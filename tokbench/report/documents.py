"""The text files of a run folder that people read, by file name."""

from tokbench.report.advice import which_size
from tokbench.report.choose import main_corpus
from tokbench.report.cost import cost_report
from tokbench.report.coverage import coverage
from tokbench.report.curves import curve_tables
from tokbench.report.examples import frequent_splits, unseen_words
from tokbench.report.numbers import family
from tokbench.report.overview import overview
from tokbench.report.signatures import signatures
from tokbench.report.tradeoff import tradeoff
from tokbench.run_folder import Run


def documents(run: Run) -> dict[str, str]:
    """Return the report, a pure function of the results, and the measured cost, which is not."""
    return {"report.md": report(run), "cost.md": cost_report(run)}


def report(run: Run) -> str:
    """Write the report: coverage first, then what is unseen and unknown, then the rest."""
    sections = [
        overview(run),
        coverage(run),
        family(run, "oov", "Out of vocabulary"),
        tradeoff(run),
        _sizes(run),
        family(run, "segmentation", "Segmentation"),
        family(run, "boundaries", "Boundaries against gold segmentations"),
        curve_tables(run),
        frequent_splits(run),
        unseen_words(run),
        signatures(run),
    ]
    return "\n".join(section for section in sections if section)


def _sizes(run: Run) -> str:
    """Say which size is enough on the first corpus, and for boundaries on the first gold one."""
    gold = next((test.name for test in run.record.tests if test.kind == "gold"), None)
    return which_size(run.advice, run.sizes, main_corpus(run).name, gold)
