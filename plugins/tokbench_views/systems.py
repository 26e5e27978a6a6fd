"""What each system knows and costs: coverage, the price of its vocabulary, and its tokens."""

import json
from collections.abc import Sequence
from functools import partial

from tokbench.printing import Table, integer, number, percent, rounded
from tokbench.run_folder import AnalysisRow, CoverageRow, Run
from tokbench_views.shared import (
    ENDS_LOST,
    GATED,
    VOCABULARY_SIZE,
    by_size,
    first_of_learners,
    largest,
    rows_of,
    system_table,
)

COVERAGE = """
## Coverage: is anything unknown or lossy?

*clean*: the tokens write every word exactly. *cannot write*: the share of words with an unknown
token or dropped text. *lossy*: the share of words that the tokens do not give back. {sign}: this is
more than {gate}, so the lengths are not compared. *word ends lost*: the tokens do not tell where
words begin or end, so the lengths (marked {lost}) are compared only with others of the kind.

"""
TRADEOFF = """
## From characters to words: what each vocabulary costs and gains

On {corpus}, each system at its largest size. A vocabulary of characters knows every word, but its
lines are long. A vocabulary of words has short lines, but meets words that it does not know.
Subwords are between the two. *Attention cost* is the cost of a model whose cost grows with the
square of the length of a line: the sum over lines of squared tokens, divided by the sum over lines
of squared characters. Characters cost 1.

"""
HEALTH = """
## Tokens that never come

Learned tokens of each system at its largest size. *emitted*: on the training text of this run.
*residues*: never on it. *unreachable*: on no text at all, as is proved; empty where nothing can be
proved. *not found*: on none of the texts that were tried, so many for each; nothing is proved.
*cut characters*: tokens that begin or end inside a character. *near-duplicates*: the same as an
earlier token but for case or a space before it. `data/health.csv` counts all sizes, and letters,
bytes and special tokens apart.

"""
HEALTH_COLUMNS = {
    "tokens": "learned",
    "emitted-training": "emitted",
    "never-test": "never on the test",
    "residues": "residues",
    "unreachable": "unreachable",
    "not-found": "not found",
    "cuts-characters": "cut characters",
    "near-duplicates": "near-duplicates",
}
WORST_SHOWN = 5
NUMBERS = """
## How numbers are cut

The commonest way to cut a thousand drawn numbers of each length, as digits a piece, and in brackets
its share where not all are cut so. *consistent*: all numbers of a length are cut alike, in equal
pieces from one end; *by length alone*: alike, but not so. `data/numbers.csv` has all sizes.

"""


def coverage(run: Run) -> str:
    """Show for each corpus, system and size whether it writes every word exactly."""
    text = _about_coverage(run)
    for test in run.record.tests:
        rows = (row for row in run.coverage if row.corpus == test.name)
        table = system_table(*by_size(run, rows, partial(_coverage_cell, run)), right=None)
        text += f"\n**{test.name}**\n\n{table}"
    return text


def gate(run: Run) -> str:
    """Show for each system at its largest size whether it writes every word exactly."""
    corpora = {test.name: test.name for test in run.record.tests if test.kind != "pairs"}
    rows = [row for row in run.coverage if row.corpus in corpora]
    cells = {
        place: _coverage_cell(run, row) + GATED * bool(row.gated)
        for place, row in rows_of(largest(run), rows, lambda row: row.corpus).items()
    }
    if not cells:
        return ""
    return _about_coverage(run) + system_table(
        (outcome.label for outcome in largest(run)), corpora, cells
    )


def _about_coverage(run: Run) -> str:
    return COVERAGE.format(gate=percent(run.record.gate), sign=GATED, lost=ENDS_LOST)


def _coverage_cell(run: Run, row: CoverageRow) -> str:
    show = partial(rounded, decimals=2, over=100 * run.record.gate)
    oov = [f"cannot write {show(100 * row.oov)}%"] if row.oov else []
    lossy = [f"lossy {show(100 * row.lossy)}%"] if row.lossy != row.oov else []
    lost = ["word ends lost"] if run.loses_word_ends(row) else []
    return ", ".join([*(oov + lossy or ["clean"]), *lost])


def tradeoff(run: Run) -> str:
    """Show what each vocabulary costs and gains on the first corpus; nothing without a text."""
    corpus = run.record.tests[0]
    if corpus.kind != "text" or not run.record.outcomes:
        return ""
    outcomes = first_of_learners(run)
    labels = run.record.labels
    coverage_of = rows_of(outcomes, run.coverage, lambda row: row.corpus)
    records = []
    for outcome in outcomes:
        row = coverage_of[outcome.label, corpus.name]
        sign = GATED * bool(row.gated) + ENDS_LOST * run.loses_word_ends(row)
        records.append(
            {
                "system": outcome.label,
                VOCABULARY_SIZE: integer(outcome.vocabulary_size),
                "learned (merges)": integer(outcome.learned),
                labels["oov-words-running"]: rounded(100 * row.oov, 1) + "%",
                "tokens per line": number(row.tokens_a_line) + sign,
                labels["kept-whole-running"]: rounded(100 * row.kept_whole, 1) + "%",
                "attention cost": number(row.attention_cost) + sign,
            }
        )
    return TRADEOFF.format(corpus=corpus.name) + Table.of(records, right=1).to("md")


def _analysed(run: Run, analysis: str) -> dict[str, list[AnalysisRow]]:
    """Return the rows of an analysis by the label of each system at its largest size."""
    rows = [row for row in run.analyses if row.analysis == analysis]
    by_label = {
        outcome.label: [r for r in rows if (r.system, r.size) == (outcome.system, outcome.size)]
        for outcome in largest(run)
    }
    return {label: rows for label, rows in by_label.items() if rows}


def health(run: Run) -> str:
    """Count the learned tokens that never come.

    Nothing without a training text, or where no plugin looked.
    """
    records = [
        {"system": label}
        | {title: _counted(row, column) for column, title in HEALTH_COLUMNS.items()}
        | {"worst": ", ".join(json.loads(str(row.cells["worst"]))[:WORST_SHOWN])}
        for label, rows in _analysed(run, "health").items()
        for row in rows
        if row.cells["kind"] == "learned" and row.cells["emitted-training"] is not None
    ]
    return HEALTH + Table.of(records, right=1).to("md") if records else ""


def _counted(row: AnalysisRow, column: str) -> str:
    """Write a number of tokens, and of the texts that were tried for those not found."""
    if "not-found" not in row.cells:  # of an older version, which called these unreachable
        column = {"not-found": "unreachable", "unreachable": ""}.get(column, column)
    count = row.cells.get(column)
    if count is None:
        return ""
    trials = row.cells.get("trials") if column == "not-found" else None
    return integer(int(count)) + (f" in {integer(int(trials))} trials" if trials else "")


def numbers(run: Run) -> str:
    """Write how each system cuts numbers by their length; nothing where no plugin looked."""
    records = [
        {"system": label}
        | {str(row.cells["digits"]): _commonest_cut(row) for row in rows}
        | {"consistent": _consistent(rows)}
        for label, rows in _analysed(run, "numbers").items()
    ]
    return NUMBERS + Table.of(records, right=1).to("md") if records else ""


def _commonest_cut(row: AnalysisRow) -> str:
    """Show the commonest way, and its share where there are others."""
    share = float(row.cells["commonest-share"] or 0)
    text = str(row.cells["commonest"])
    text += f" ({rounded(100 * share, 0)}%)" if share < 1 else ""
    not_known = float(row.cells["not-known"] or 0)
    return f"{text}, {rounded(100 * not_known, 0)}% not known" if not_known else text


def _consistent(rows: Sequence[AnalysisRow]) -> str:
    """Say from which end all numbers of all lengths are cut; nothing where some are not known."""
    lengths = [row.cells for row in rows]
    if any(cells["not-known"] for cells in lengths):
        return ""
    if any(cells["commonest-share"] != 1 for cells in lengths):
        return "no"
    if all(cells["pieces"] == cells["digits"] for cells in lengths):
        return "digit by digit"
    ends = [end for end in ("left", "right") if all(c[f"from-{end}"] == 1 for c in lengths)]
    return f"from the {' and '.join(ends)}" if ends else "by length alone"
