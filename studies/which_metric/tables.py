"""The tables of results that the study wrote: values, and pairs of systems."""

import csv
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

BITS = "bits-per-byte"
WITTEN_BELL = "bits-per-byte-witten-bell"
PRIMARY = {
    "text-bytes-per-token": 1, "renyi-efficiency-declared": 1, "boundary-kappa": 1,
    "kept-whole-running": 1, "bits-per-byte(order=1)": -1,
}  # fmt: skip
"""The metrics that the plan fixes, and whether more (1) or less (-1) of each is said to be better.

`text-bytes-per-token` is that of the text that the model reads: see `parts.py: numbers_of`.
"""

Row = Mapping[str, str]
Point = tuple[str, str, str]
"""Text, scored text, size."""


class Tables:
    """The values of all systems, and the pairs of the compared systems."""

    def __init__(self, folder: Path) -> None:
        rows = read(folder / "values.csv")
        self.values = {(r["text"], r["test"], r["size"], r["system"], r["metric"]): r for r in rows}
        self.families = {row["system"]: row["family"] for row in rows}
        self.pairs: dict[Point, list[Row]] = {}
        for row in read(folder / "pairs.csv"):
            self.pairs.setdefault((row["text"], row["test"], row["size"]), []).append(row)

    @property
    def points(self) -> list[Point]:
        """The points in order, the exploratory text last."""
        return [*self.pairs]

    def value(self, point: Sequence[str], system: str, metric: str) -> float:
        """Return a value at a point; a metric of gold words has one for all tests of a text."""
        text, test, size = point
        gold = metric.startswith("boundary")
        return float(self.values[text, "gold" if gold else test, size, system, metric]["value"])

    def systems(self, point: Point) -> list[str]:
        """Return the systems that are compared at a point."""
        pairs = ((row["system"], row["other"]) for row in self.pairs[point])
        return [*dict.fromkeys(name for pair in pairs for name in pair)]

    def separable(
        self, point: Point, among: Collection[str] | None = None
    ) -> list[tuple[str, str]]:
        """Return the separable pairs of a point, or those among some systems."""
        return [
            (row["system"], row["other"])
            for row in self.pairs[point]
            if row["separable"] and (among is None or {row["system"], row["other"]} <= {*among})
        ]


def read(path: Path) -> list[Row]:
    """Read the rows of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file)]
