"""The tables and curves of a run folder as CSV files."""

import csv
import io
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np

from tokbench.run_folder.tables import CURVE_COLUMNS, CurveSteps, R, cells, columns

LONGEST_CELL = 2**31 - 1  # a signature holds any option; the csv module stops at 131,072


def write_table(path: Path, kind: type[R], rows: Sequence[R]) -> None:
    """Write a table as a CSV file; lone surrogates are escaped."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns(kind))
        writer.writerows(map(cells, rows))


def read_table(data: bytes, kind: type[R]) -> tuple[R, ...]:
    """Read a table from the bytes of its file, its columns by name."""
    readers = [_reader(hint) for hint in get_type_hints(kind).values()]
    make: Any = kind
    lines = _read_lines(data, columns(kind))
    return tuple(
        make(*(read(text) for read, text in zip(readers, line, strict=True))) for line in lines
    )


def write_curves(path: Path, curves: Iterable[CurveSteps]) -> None:
    """Write curves.csv: a line where a value differs from that of the size before, and the last."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(",".join(CURVE_COLUMNS) + "\n")
        for curve in curves:
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(curve.names)
            # Sizes and values need no quotes, which the csv module would look for in each.
            before = f"{line.getvalue()},{curve.unit}"
            file.write("".join([f"{before}{size},{value}\n" for size, value in curve.pairs()]))


def read_curves(data: bytes) -> tuple[CurveSteps, ...]:
    """Read the curves from the bytes of curves.csv."""
    found: dict[tuple[str, str, str, str], tuple[str, list[int], list[str]]] = {}
    for system, corpus, subset, metric, size, value in _read_lines(data, CURVE_COLUMNS):
        unit, colon, number = size.rpartition(":")
        names = (system, corpus, subset, metric)
        _, sizes, texts = found.setdefault(names, (unit + colon, [], []))
        sizes.append(int(number))
        texts.append(value or "nan")
    return tuple(
        CurveSteps(*names, unit, np.array(sizes, dtype=np.int64), texts)
        for names, (unit, sizes, texts) in found.items()
    )


def _read_lines(data: bytes, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the cells of each line in the columns of these names."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(data.decode("utf-8"), newline=""))
    chosen = itemgetter(*map(next(reader).index, names))
    return list(map(chosen, reader))


def _reader(hint: Any) -> Callable[[str], Any]:
    """Return how the cells of a field are read, by its type; empty ones of `X | None` as None."""
    kinds = get_args(hint)
    return hint if not kinds else lambda text: kinds[0](text) if text else None
