"""The gate: is anything unknown or lossy? Without it, other numbers mislead."""

from tokbench.report.choose import agreeing, named, names, size_title, sizes
from tokbench.report.table import markdown_table
from tokbench.run_folder import Run
from tokbench.run_folder.tables import CoverageRow

INTRODUCTION = """## Coverage: is anything unknown or lossy?

A tokenizer that drops part of the text, or does not know it, needs fewer tokens than it should.
Read the other tables with this one in mind. *clean*: every token of every word is known, and the
ids decode to the same text. *oov*: the share of running words with an unknown token or dropped
text. *lossy*: the share of running words that their ids do not decode to; shown if it differs from
*oov*.
"""


def coverage(run: Run) -> str:
    """Show for each corpus, system and size whether every word is known and comes back."""
    return INTRODUCTION + "".join(
        f"\n**{test.name}**\n\n{_table(run, test.name)}" for test in run.record.tests
    )


def _table(run: Run, corpus: str) -> str:
    here = named(run, (row for row in run.coverage if row.corpus == corpus))
    cells = {(row.system, row.size): _cell(row) for row in here}
    columns = sizes(run)
    lines = [(name, tuple(cells.get((name, size), "") for size in columns)) for name in names(run)]
    rows = [(systems, *line) for systems, line in agreeing(lines)]
    return markdown_table(("system", *map(size_title, columns)), rows)


def _cell(row: CoverageRow) -> str:
    if not row.oov and not row.lossy:
        return "clean"
    shares = [("oov", row.oov)] if row.oov else []
    shares += [("lossy", row.lossy)] if row.lossy != row.oov else []
    return ", ".join(f"{name} {share:.2%}" for name, share in shares)
