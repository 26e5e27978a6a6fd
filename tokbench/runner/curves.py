"""Curves as lines of curves.csv."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from tokbench.score.curve import Curve

__all__ = ["COLUMNS", "Curve", "write_curves"]

COLUMNS = ("system", "corpus", "subset", "metric", "size", "value")


def write_curves(found: Iterable[Curve], path: Path) -> None:
    """Write curves.csv: a line where a value differs from that of the size before, and the last."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(",".join(COLUMNS) + "\n")
        for curve in found:
            head = _cells(curve.system, curve.corpus, curve.subset, curve.metric)
            # Sizes and values need no quotes, which the csv module would look for in each.
            file.writelines(f"{head},{size},{value}\n" for size, value in curve.changes())


def _cells(*texts: str) -> str:
    """Spell the first cells of a line."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(texts)
    return line.getvalue()
