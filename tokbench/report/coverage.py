"""The gate: is anything unknown or lossy? Without it, other numbers mislead."""

import numpy as np

from tokbench.api import Segmentation
from tokbench.report.choose import names, size_title, sizes
from tokbench.report.table import markdown_table
from tokbench.runner.run import Run

INTRODUCTION = """## Coverage: is anything unknown or lossy?

A tokenizer that drops or does not know part of the text looks shorter than it is: read the other
tables with this one in mind. *clean*: every token of every word is known, and its ids give the
text back. Otherwise the share of running words with an unknown token or dropped text (*oov*), and,
where it differs, the share of words that their ids do not give back (*lossy*).
"""


def coverage(run: Run) -> str:
    """Show for each corpus, system and size whether every word is known and comes back."""
    return INTRODUCTION + "".join(
        f"\n**{test.name}**\n\n{_table(run, test.name)}" for test in run.corpora.tests
    )


def _table(run: Run, corpus: str) -> str:
    cells = {
        (outcome.name, outcome.size_label): _cell(outcome.segmentations[corpus])
        for outcome in run.outcomes
        if corpus in outcome.segmentations
    }
    columns = sizes(run)
    agreeing: dict[tuple[str, ...], list[str]] = {}
    for name in names(run):
        line = tuple(cells.get((name, size), "") for size in columns)
        agreeing.setdefault(line, []).append(name)
    rows = [(", ".join(systems), *line) for line, systems in agreeing.items()]
    return markdown_table(("system", *map(size_title, columns)), rows)


def _cell(segmentation: Segmentation) -> str:
    count = segmentation.count
    oov = float(np.sum(count[segmentation.oov]) / count.sum())
    lossy = float(np.sum(count[~segmentation.restored]) / count.sum())
    if not oov and not lossy:
        return "clean"
    shares = [("oov", oov)] if oov else []
    shares += [("lossy", lossy)] if lossy != oov else []
    return ", ".join(f"{name} {share:.2%}" for name, share in shares)
