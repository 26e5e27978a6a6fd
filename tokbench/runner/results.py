"""The rows of results.csv: estimates with their differences from the baseline, intervals and p."""

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tokbench.significance import ALPHA
from tokbench.stats import Floats, holm, interval, p_value

if TYPE_CHECKING:
    # Scoring loads SciPy, which what only reads or writes results need not pay.
    from tokbench.score.estimate import Estimate


@dataclass(frozen=True)
class Row:
    """One number with all that it takes to understand and reproduce it; None is undefined."""

    system: str
    learner: str
    segmenter: str
    train: str
    corpus: str
    subset: str
    context: str
    size: str
    vocabulary_size: int
    metric: str
    better: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: float | None = None
    baseline: str | None = None
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    repeats: int | None = None
    repeat_sd: float | None = None
    signature: str = field(default="")

    @property
    def significant(self) -> bool:
        """Whether the difference from the baseline holds after Holm, at 5 %."""
        return self.p_holm is not None and self.p_holm < ALPHA


COLUMNS = tuple(column.name.replace("_", "-") for column in fields(Row))


def with_estimate(row: Row, estimate: "Estimate", base: "Estimate | None") -> Row:
    """Fill in a value, its interval and its difference from the baseline's estimate."""
    if math.isnan(estimate.value):
        return row if base is None else replace(row, baseline=None)
    low, high = _interval(estimate.samples)
    row = replace(row, value=estimate.value, low=low, high=high, n=estimate.n)
    if base is None or math.isnan(base.value):
        return replace(row, baseline=None)
    row = replace(row, difference=estimate.value - base.value)
    if estimate.samples is None or base.samples is None:
        return row
    differences = estimate.samples - base.samples
    low, high = _interval(differences)
    return replace(row, difference_low=low, difference_high=high, p=p_value(differences))


def adjust(rows: Sequence[Row]) -> list[Row]:
    """Fill in p-holm: Holm over the systems within a metric, corpus, subset and size.

    Systems that are compared with the baseline, and those compared with themselves in context, are
    two families.
    """
    families: dict[tuple[str, str, str, str, bool], list[int]] = {}
    for i, row in enumerate(rows):
        if row.p is not None:
            # What was cut alone beside the same in context is a question of its own.
            beside = row.baseline is not None and row.baseline.partition("@")[0] == row.system
            key = (row.metric, row.corpus, row.subset, row.size, beside)
            families.setdefault(key, []).append(i)
    adjusted = list(rows)
    for members in families.values():
        for i, p in zip(members, holm([rows[i].p or 0.0 for i in members]), strict=True):
            adjusted[i] = replace(rows[i], p_holm=p)
    return adjusted


def write_csv(rows: Iterable[Row], path: Path) -> None:
    """Write results.csv: one row a number, 12 significant digits, undefined left empty."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        names = [column.name for column in fields(Row)]
        writer.writerows([cell(getattr(row, name)) for name in names] for row in rows)


def cell(value: object) -> str:
    """Spell one cell: nothing for None, numbers with 12 significant digits."""
    if value is None:
        return ""
    return format(value, ".12g") if isinstance(value, float) else str(value)


def _interval(samples: Floats | None) -> tuple[float | None, float | None]:
    found = None if samples is None else interval(samples)
    return found or (None, None)
