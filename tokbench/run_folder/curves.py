"""Whole curves: the value of a metric at every vocabulary size, kept by where it changes."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tokbench.run_folder.csvfile import CsvFile, spelled
from tokbench.run_folder.tables import Key

COLUMNS = ("system", "corpus", "subset", "metric", "size", "value")

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CurveSteps:
    """A metric of one system on one subset of a corpus, at every size.

    `values[i]` holds from `sizes[i]` up to the next of `sizes`, NaN where it is undefined. The
    last size is that of the largest vocabulary inside the range that was asked for. `unit` is
    written before each size: nothing, or `merges:`.
    """

    system: str
    corpus: str
    subset: str
    metric: str
    unit: str
    sizes: Ints
    values: Floats

    @property
    def key(self) -> Key:
        """System, corpus and metric."""
        return self.system, self.corpus, self.metric

    def at(self, size: int) -> float:
        """Return the value at a size, NaN below the first one; above the last one that of it."""
        place = int(np.searchsorted(self.sizes, size, side="right")) - 1
        return float(self.values[place]) if place >= 0 else np.nan

    def cells(self) -> list[tuple[str, str]]:
        """Spell the sizes and values as the file holds them."""
        texts = [text.replace("nan", "") for text in spelled(self.values.tolist())]
        sizes = [f"{self.unit}{size}" for size in self.sizes.tolist()]
        return list(zip(sizes, texts, strict=True))


def write_curves(path: Path, curves: Iterable[CurveSteps]) -> None:
    """Write curves.csv: a line where a value differs from that of the size before, and the last."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(",".join(COLUMNS) + "\n")
        for curve in curves:
            line = io.StringIO()
            names = (curve.system, curve.corpus, curve.subset, curve.metric)
            csv.writer(line, lineterminator="").writerow(names)
            before = line.getvalue()
            # Sizes and values need no quotes, which the csv module would look for in each.
            lines = [f"{before},{size},{value}\n" for size, value in curve.cells()]
            file.write("".join(lines))


def read_curves(path: Path) -> tuple[CurveSteps, ...]:
    """Read curves.csv; raise InputError for a file that is damaged."""
    file = CsvFile(path, COLUMNS)
    found: dict[tuple[str, str, str, str], tuple[str, list[int], list[float]]] = {}
    for line, (system, corpus, subset, metric, size, text) in file.lines():
        unit, colon, number = file.size(line, size).rpartition(":")
        _, sizes, values = found.setdefault(
            (system, corpus, subset, metric), (unit + colon, [], [])
        )
        if not number:
            raise file.fault(line, "a value has no size")
        if sizes and int(number) <= sizes[-1]:
            raise file.fault(line, f"size {size} stands after {sizes[-1]}")
        sizes.append(int(number))
        values.append(file.number(line, text) if text else np.nan)
    return tuple(
        CurveSteps(*names, unit, np.array(sizes, dtype=np.int64), np.array(values))
        for names, (unit, sizes, values) in found.items()
    )
