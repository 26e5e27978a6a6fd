"""Cells of a run's results as the pages of `docs/` show them, to compare the two."""

import csv
from pathlib import Path
from typing import NamedTuple

Row = dict[str, str]


class Key(NamedTuple):
    """Name the number in a cell by the columns of `results.csv`."""

    system: str
    corpus: str
    metric: str
    size: str = ""
    subset: str = "all"
    context: str = "isolated"


def read(folder: Path) -> dict[Key, Row]:
    """Read the results of a run folder."""
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        return {Key(*(row[name] for name in Key._fields)): row for row in csv.DictReader(file)}


def plain(row: Row, digits: int = 3) -> str:
    """Show a value, with ▲ or ▼ where it differs significantly from the baseline's."""
    value = f"{float(row['value']):,.{digits}f}"
    if not row["p-holm"] or float(row["p-holm"]) >= 0.05:
        return value
    return f"{value} {'▲' if float(row['difference']) > 0 else '▼'}"


def percent(row: Row) -> str:
    """Show a share as a percentage."""
    return f"{100 * float(row['value']):.1f} %"


def interval(row: Row, digits: int = 3) -> str:
    """Show a value with its mark and its interval, if it has one."""
    if not row["low"]:
        return plain(row, digits)
    low, high = (f"{float(row[key]):,.{digits}f}" for key in ("low", "high"))
    return f"{plain(row, digits)} ({low}–{high})"


def difference(row: Row, digits: int = 3) -> str:
    """Show the difference from the baseline with its interval; 0 where nothing differs at all."""
    names = ("difference", "difference-low", "difference-high")
    value, low, high = (f"{float(row[key]):+,.{digits}f}".replace("-", "−") for key in names)
    return "0" if value == low == high else f"{value} ({low} to {high})"


def line(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |\n"
