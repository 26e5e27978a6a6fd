"""The CSV files of a run folder; what is damaged is an error with file and line."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np

from tokbench.errors import InputError
from tokbench.run_folder.tables import CURVE_COLUMNS, CurveSteps, R, SizeText, cells, columns

SIZE = re.compile(r"(merges:)?[0-9]{1,10}")

T = TypeVar("T")


def write_table(path: Path, kind: type[R], rows: Sequence[R]) -> None:
    """Write a table as a CSV file."""
    write_lines(path, columns(kind), map(cells, rows))


def read_table(path: Path, kind: type[R]) -> tuple[R, ...]:
    """Read a table, its columns by name; raise InputError for a file that is damaged."""
    readers = [_READERS[hint] for hint in get_type_hints(kind, include_extras=True).values()]
    make: Any = kind

    def row(*found: str) -> R:
        made: R = make(*(read(text) for read, text in zip(readers, found, strict=True)))
        return made

    return tuple(_read_lines(path, columns(kind), row))


def write_curves(path: Path, curves: Iterable[CurveSteps]) -> None:
    """Write curves.csv: a line where a value differs from that of the size before, and the last."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        file.write(",".join(CURVE_COLUMNS) + "\n")
        for curve in curves:
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(curve.names)
            # Sizes and values need no quotes, which the csv module would look for in each.
            names = line.getvalue()
            file.write("".join([f"{names},{size},{value}\n" for size, value in curve.cells()]))


def read_curves(path: Path) -> tuple[CurveSteps, ...]:
    """Read curves.csv; raise InputError for a file that is damaged."""
    found: dict[tuple[str, str, str, str], tuple[str, list[int], list[str]]] = {}

    def step(system: str, corpus: str, subset: str, metric: str, size: str, value: str) -> None:
        unit, colon, number = _size(size).rpartition(":")
        names = (system, corpus, subset, metric)
        _, sizes, texts = found.setdefault(names, (unit + colon, [], []))
        if not number:
            raise ValueError("a value has no size")
        if sizes and int(number) <= sizes[-1]:
            raise ValueError(f"size {size} stands after {sizes[-1]}")
        sizes.append(int(number))
        if value:
            _number(value)  # raises for what is none
        texts.append(value or "nan")

    _read_lines(path, CURVE_COLUMNS, step)
    return tuple(
        CurveSteps(*names, unit, np.array(sizes, dtype=np.int64), texts)
        for names, (unit, sizes, texts) in found.items()
    )


def write_lines(path: Path, names: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Write a CSV file with a head line; lone surrogates are escaped."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(lines)


def _read_lines(path: Path, names: Sequence[str], make: Callable[..., T]) -> list[T]:
    """Make something of each line's cells in the columns of these names.

    `make` raises ValueError for cells that it cannot read. Raises InputError for a damaged file.
    """
    where = str(path)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            head: list[str] = next(reader, [])
            if missing := [name for name in names if name not in head]:
                raise ValueError(f"its head line has no {', '.join(missing)}")
            chosen = itemgetter(*map(head.index, names))
            found = []
            for line in reader:
                where = f"{path}:{reader.line_num}"
                if len(line) != len(head):
                    raise ValueError(f"{len(line)} cells, where {len(head)} are due")
                found.append(make(*chosen(line)))
            return found
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path}: damaged: {error}") from None
    except ValueError as error:
        raise InputError(f"{where}: damaged: {error}") from None


def _size(text: str) -> str:
    """Check a size: nothing, a number, or `merges:` and a number."""
    if text and not SIZE.fullmatch(text):
        raise ValueError(f"{text!r} is no size")
    return text


def _number(text: str) -> float:
    """Read a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text!r} is no number")
    return value


def _whole(text: str) -> int:
    """Read a whole number."""
    value = _number(text)
    if not value.is_integer():
        raise ValueError(f"{text!r} is no whole number")
    return int(value)


def _or_none(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Read an empty cell as None."""
    return lambda text: read(text) if text else None


_KINDS: dict[Any, Callable[[str], Any]] = {str: str, SizeText: _size, float: _number, int: _whole}
# How the cells of a field are read, by its type.
_READERS = {**_KINDS, **{kind | None: _or_none(read) for kind, read in _KINDS.items()}}
