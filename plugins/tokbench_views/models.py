"""The count model of each system: its order, and how the order was chosen."""

from itertools import groupby

from tokbench.run_folder import AnalysisRow, Run
from tokbench_views.shared import record_table
from tokbench_views.spelling import whole

TABLE = "bits-per-byte"
"""The metric whose table this is."""

TITLE = """
## The models behind bits per byte

The bits per byte of the lines of the training text that were held back, at order 1, 2, 3, ...; the
*order* with the fewest is the one that prices the test texts. What unknown text is spelled with is
left out, since it costs the same at each order. Compare within one size only: a larger vocabulary
needs more training text.

"""


def models(run: Run) -> str:
    """Write the section; nothing where no model was fitted."""
    rows = (row for row in run.analyses if row.analysis.partition("(")[0] == TABLE)
    grouped = groupby(rows, lambda row: (row.analysis, row.system, row.size))
    records = [_record(system, size, [*group]) for (_, system, size), group in grouped]
    return TITLE + record_table(records, right=1) if records else ""


def _record(system: str, size: str, rows: list[AnalysisRow]) -> dict[str, str]:
    bits = [float(row.cells["held-back-bits-per-byte"] or 0) for row in rows]
    return {
        "system": f"{system}@{size}" if size else system,
        "order": str(1 + bits.index(min(bits))),
        "training bytes": whole(int(rows[0].cells["training-bytes"] or 0)),
        "held back": " ".join(f"{one:.3f}" for one in bits),
    }
