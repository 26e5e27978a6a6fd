"""What a metric counts, checked; and equal columns of several metrics, kept once."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from tokbench.api import AdditiveMetric, ParallelMetric, Segmentation, Words
from tokbench.errors import TokbenchError
from tokbench.stats import Floats

Columns = Mapping[str, Any]


def counted_columns(
    metric: AdditiveMetric,
    segmentation: Segmentation,
    others: Mapping[str, Segmentation] | None = None,
) -> dict[str, Any]:
    """Count, and check the columns that a metric gives; `others` are segmentations by corpus."""
    by_line = metric.per == "line"
    rows = len(segmentation.words.lines) - 1 if by_line else len(segmentation)
    if isinstance(metric, ParallelMetric):
        columns = metric.compare(segmentation, _parallel(metric, segmentation, others or {}))
    else:
        columns = metric.count(segmentation)
    if not isinstance(columns, Mapping) or not columns:
        raise TokbenchError("it counted no columns")
    checked = {}
    for name, column in columns.items():
        table = sparse.issparse(column)
        values = column.data if table else np.asarray(column)
        shape = column.shape if table else values.shape
        if shape[:1] != (rows,) or values.ndim != 1:
            raise TokbenchError(f"it counted {shape} in {name!r}, not {rows} rows")
        if not np.isfinite(values).all():
            raise TokbenchError(f"it counted NaN or infinity in {name!r}")
        checked[name] = _rows(column) if table else values.astype(np.float64)
    if metric.denominator is not None and metric.denominator not in checked:
        raise TokbenchError(f"it counts no column {metric.denominator!r} for its n")
    return checked


def _parallel(
    metric: ParallelMetric, segmentation: Segmentation, others: Mapping[str, Segmentation]
) -> Segmentation:
    """Give the reference text, if it has words in the same lines as what is to translate it."""
    if metric.reference not in others:
        raise TokbenchError(f"there is no test text {metric.reference!r} to compare with")
    reference = others[metric.reference]
    if wrong := _apart(segmentation.words, reference.words):
        raise TokbenchError(
            f"not parallel: {wrong} {metric.reference}; name the texts that translate it with the "
            "option `texts`"
        )
    return reference


def _apart(words: Words, others: Words) -> str:
    """Say in which line one of two texts has words and the other has none; nothing if in none."""
    here, there = len(words.lines) - 1, len(others.lines) - 1
    if words.numbers is not None and others.numbers is not None:
        apart = np.setxor1d(words.numbers, others.numbers)
        if len(apart):
            one = "words, but none" if apart[0] in words.numbers else "no words, but some"
            return f"line {apart[0]} has {one} in"
    return "" if here == there else f"{here} lines with words, but {there} in"


def _rows(table: Any) -> sparse.csr_array:
    """Lay a sparse table out by rows; one that is already stays the same object."""
    return table if isinstance(table, sparse.csr_array) else sparse.csr_array(table)


class Distinct:
    """Columns laid side by side, equal ones once: metrics count the same things again and again."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}
        self._columns: list[Floats] = []

    def add(self, column: Floats) -> int:
        """Take a column up, and give its place."""
        place = self._places.setdefault(column.tobytes(), len(self._columns))
        if place == len(self._columns):
            self._columns.append(column)
        return place

    def side_by_side(self) -> Floats:
        """Give rows x columns; at least one must have been taken up."""
        return np.column_stack(self._columns)
