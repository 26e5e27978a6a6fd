"""The count model of each system: its order, and how the order was chosen."""

from itertools import groupby

from tokbench.run_folder import AnalysisRow, Run, SystemSize
from tokbench_views.shared import record_table
from tokbench_views.spelling import number, whole

TABLE = "bits-per-byte"
"""The metric whose table this is."""

TITLE = """
## The models behind bits per byte

The bits per byte of the lines of the training text that were held back, at order 1, 2, 3, ...; the
*order* with the fewest is the one that prices the test texts. The bytes of unknown text are left
out, since they cost the same at each order. Nothing is held back where the order is given. Compare
within one size only: a larger vocabulary needs more training text.

"""


def models(run: Run) -> str:
    """Write the section; nothing where no model was fitted."""
    rows = [row for row in run.analyses if row.analysis.partition("(")[0] == TABLE]
    several = len({row.analysis for row in rows}) > 1
    records = [
        _record(system, size, [*group]) | ({"metric": name} if several else {})
        for (name, system, size), group in groupby(rows, lambda row: (row.analysis, *row[1:3]))
    ]
    return TITLE + record_table(records, right=1) if records else ""


def _record(system: str, size: str, rows: list[AnalysisRow]) -> dict[str, str]:
    bits = [row.cells["held-back-bits-per-byte"] for row in rows]
    tried = [float(one) for one in bits if one is not None]
    best = rows[tried.index(min(tried)) if tried else 0]
    return {
        "system": str(SystemSize(system, size)),
        "order": str(best.cells["order"]),
        "training bytes": whole(int(best.cells["training-bytes"] or 0)),
        "held back": " ".join(number(one) for one in tried),
    }
