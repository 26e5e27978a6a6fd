"""Tokens that never come: a short table from the analysis `health`, where a run has it."""

import json

from tokbench.run_folder import AnalysisRow, Run
from tokbench_views.shared import largest, record_table
from tokbench_views.spelling import whole

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
        {"system": f"{row.system}@{row.size}" if row.size else row.system}
        | {title: _count(row, column) for column, title in COLUMNS.items()}
        | {"worst": ", ".join(json.loads(str(row.cells["worst"]))[:SHOWN])}
        for row in shown
    ]
    return TITLE + record_table(records, right=1) if records else ""


def _count(row: AnalysisRow, column: str) -> str:
    count = row.cells[column]
    return whole(int(count)) if count is not None else ""
