"""CSV files with a head line; what is damaged is an error with file and line."""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from tokbench.errors import InputError

SIZE = re.compile(r"(merges:)?[0-9]{1,10}")


def write_lines(path: Path, columns: Sequence[str], lines: Iterable[Sequence[str]]) -> None:
    """Write a CSV file with a head line; lone surrogates are escaped."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(lines)


def cell(value: object) -> str:
    """Spell one cell: nothing for None, numbers with 12 significant digits."""
    if value is None:
        return ""
    return format(value, ".12g") if isinstance(value, float) else str(value)


def spelled(numbers: Sequence[float]) -> list[str]:
    """Spell many numbers as `cell` does, all at once, which takes a third of its time."""
    return ("%.12g\n" * len(numbers) % (*numbers,)).split()


class CsvFile:
    """One CSV file with a head line, of which some columns are wanted."""

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self.path = path
        self.columns = tuple(columns)

    def lines(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield each line's number and wanted cells; raise InputError for a damaged file."""
        try:
            with self.path.open(encoding="utf-8", newline="") as file:
                yield from self._cells(csv.reader(file, strict=True))
        except OSError as error:
            raise InputError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(f"{self.path}: damaged: {error}") from None

    def _cells(self, reader: Any) -> Iterator[tuple[int, tuple[str, ...]]]:
        head: list[str] = next(reader, [])
        missing = [column for column in self.columns if column not in head]
        if missing:
            raise InputError(f"{self.path}: damaged: its head line has no {', '.join(missing)}")
        chosen = itemgetter(*map(head.index, self.columns))
        for row in reader:
            if len(row) != len(head):
                raise self.fault(reader.line_num, f"{len(row)} cells, where {len(head)} are due")
            yield reader.line_num, chosen(row)

    def fault(self, line: int, what: str) -> InputError:
        """Describe what is wrong with one line."""
        return InputError(f"{self.path}:{line}: damaged: {what}")

    def size(self, line: int, text: str) -> str:
        """Check a size: nothing, a number, or `merges:` and a number."""
        if text and not SIZE.fullmatch(text):
            raise self.fault(line, f"{text!r} is no size")
        return text

    def number(self, line: int, text: str) -> float:
        """Read a finite number."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.fault(line, f"{text!r} is no number")
        return value

    def whole(self, line: int, text: str) -> int:
        """Read a whole number."""
        value = self.number(line, text)
        if not value.is_integer():
            raise self.fault(line, f"{text!r} is no whole number")
        return int(value)
