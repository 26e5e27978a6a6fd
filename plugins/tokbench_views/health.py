"""Tokens that never come, and how numbers are cut: what the analyses of a run found, in short."""

import json
from collections.abc import Mapping, Sequence

from tokbench.run_folder import AnalysisRow, Run, SystemSize
from tokbench_views.shared import largest, record_table
from tokbench_views.spelling import rounded, whole

TITLE = """
## Tokens that never come

Learned tokens of each system at its largest size. *emitted*: on the training text of this run.
*residues*: never on it. *unreachable*: on no text at all that was tried, not even on their own.
*cut characters*: tokens that begin or end inside a character. *near-duplicates*: the same as an
earlier token but for case or a space before it. `health.csv` counts all sizes, and letters, bytes
and special tokens apart.

"""
COLUMNS = {
    "tokens": "learned",
    "emitted-training": "emitted",
    "never-test": "never on the test",
    "residues": "residues",
    "unreachable": "unreachable",
    "cuts-characters": "cut characters",
    "near-duplicates": "near-duplicates",
}
SHOWN = 5
NUMBERS = """
## How numbers are cut

The commonest way to cut a thousand drawn numbers of each length, as digits a piece, and in brackets
its share where not all are cut so. *consistent*: all numbers of a length are cut alike, in equal
pieces from one end; *by length alone*: alike, but not so. `numbers.csv` has all sizes.

"""
Cells = Mapping[str, str | int | float | None]


def health(run: Run) -> str:
    """Write the section; nothing without a training text, or where no plugin looked."""
    rows = {
        (row.system, row.size): row
        for row in run.analyses
        if row.analysis == "health"
        and row.cells["kind"] == "learned"
        and row.cells["emitted-training"] is not None
    }
    shown = [rows[one.system, one.size] for one in largest(run) if (one.system, one.size) in rows]
    records = [
        {"system": str(SystemSize(row.system, row.size))}
        | {title: _count(row, column) for column, title in COLUMNS.items()}
        | {"worst": ", ".join(json.loads(str(row.cells["worst"]))[:SHOWN])}
        for row in shown
    ]
    return TITLE + record_table(records, right=1) if records else ""


def numbers(run: Run) -> str:
    """Write how each system cuts numbers by their length; nothing where no plugin looked."""
    records = []
    for one in largest(run):
        rows = [
            row.cells
            for row in run.analyses
            if (row.analysis, row.system, row.size) == ("numbers", one.system, one.size)
        ]
        if rows:
            cells = {str(row["digits"]): _cut(row) for row in rows}
            records.append({"system": one.label, **cells, "consistent": _consistent(rows)})
    return NUMBERS + record_table(records, right=1) if records else ""


def _cut(row: Cells) -> str:
    """Show the commonest way, and its share where there are others."""
    share = float(row["commonest-share"] or 0)
    text = str(row["commonest"]) + (f" ({rounded(100 * share, 0)}%)" if share < 1 else "")
    not_known = float(row["not-known"] or 0)
    return f"{text}, {rounded(100 * not_known, 0)}% not known" if not_known else text


def _consistent(rows: Sequence[Cells]) -> str:
    """Say from which end all numbers of all lengths are cut; nothing where some are not known."""
    if any(row["not-known"] for row in rows):
        return ""
    if any(row["commonest-share"] != 1 for row in rows):
        return "no"
    if all(row["pieces"] == row["digits"] for row in rows):
        return "digit by digit"
    ends = [end for end in ("left", "right") if all(row[f"from-{end}"] == 1 for row in rows)]
    return f"from the {' and '.join(ends)}" if ends else "by length alone"


def _count(row: AnalysisRow, column: str) -> str:
    count = row.cells[column]
    return whole(int(count)) if count is not None else ""
