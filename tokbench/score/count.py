"""Metrics asked to count and to score: the one place that calls them, and checks what they return.

An error of a metric is returned as a value, so that it costs only that metric.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Metric
from tokbench.api.arrays import CountTable, Segmentation, Words
from tokbench.api.metric import TrainingLines, TrainingMetric
from tokbench.errors import TokbenchError, cropped
from tokbench.score.resample import Floats

Columns = Mapping[str, Any]
Segmentations = Mapping[str, Segmentation]


P = ParamSpec("P")
T = TypeVar("T")

_ROUNDING = 1e-9
"""How far a value may lie outside its range, which rounding can do."""


def attempted(job: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | BaseException:
    """Return what a metric's code returns, or what it raises; Ctrl-C passes."""
    try:
        return job(*arguments, **named)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return error


def inputs(
    metric: Any,
    corpus: str,
    result: Segmentations,
    reference: Segmentation | None = None,
    training: Callable[[], TrainingLines] | None = None,
) -> dict[str, Segmentation | TrainingLines]:
    """Return what a metric needs beside the segmentation of a corpus, by keyword.

    `result` holds the system's segmentations by corpus. `reference` is the same text, cut by the
    system that the metric names, and `training` returns the training text. A metric that needs
    `lines` compares with the text that the corpus translates, which has words in the same lines:
    raises TokbenchError where it is missing, or does not fit that of the corpus.
    """
    if isinstance(metric, TrainingMetric):
        return {} if training is None else {"training": training()}
    if "system" in metric.needs:
        return {} if reference is None else {"reference": reference}
    if "lines" not in metric.needs:
        return {}
    if metric.reference not in result:
        raise TokbenchError(f"there is no test text {metric.reference!r} to compare with")
    original = result[metric.reference]
    if wrong := _difference(result[corpus].words, original.words):
        raise TokbenchError(
            f"not parallel: {wrong} {metric.reference}; name the texts that translate it with the "
            "option `texts`"
        )
    return {"reference": original}


def count(metric: Metric, segmentation: Segmentation, others: Mapping[str, Any]) -> dict[str, Any]:
    """Count a segmentation, with the `inputs` of the metric, and check the columns.

    Columns have one number a state, line, pair or place, as the metric says; or are tables of
    counts.
    """
    rows = len(segmentation)
    if metric.per == "place":
        rows = len(segmentation.words.order)
    elif metric.per == "line":
        rows = len(segmentation.words.lines) - 1
    elif metric.per == "pair" and segmentation.words.pairs is not None:
        rows = len(segmentation.words.pairs)
    columns = metric.count(segmentation, **others)
    if not isinstance(columns, Mapping) or not columns:
        raise TokbenchError("it counted no columns")
    checked = {name: _checked(name, column, rows) for name, column in columns.items()}
    if metric.denominator is not None and metric.denominator not in checked:
        raise TokbenchError(f"it counts no column {metric.denominator!r} for its n")
    return checked


def count_states(metric: Metric, segmentation: Segmentation) -> dict[str, Any] | None:
    """Count numbers by state, which a curve adds up; None for a metric that has no curve."""
    columns = metric.count_states(segmentation)
    if columns is None or any(isinstance(column, CountTable) for column in columns.values()):
        return None
    return {name: _checked(name, column, len(segmentation)) for name, column in columns.items()}


def score(
    metric: Metric, sums: Columns, vocabulary_size: Any, shape: tuple[int, ...] = ()
) -> Floats:
    """Score sums that are numbers, or that hold one number for each resample or size.

    A value that is not finite is undefined.
    """
    with np.errstate(all="ignore"):
        return _numbers(metric.score(sums, vocabulary_size), shape)


def _numbers(values: Any, shape: tuple[int, ...]) -> Floats:
    """Return what a metric scored, having checked that it is numbers of a shape."""
    try:
        scores = np.asarray(values)
    except (TypeError, ValueError):  # lists of unequal lengths
        scores = np.array(None)
    if scores.dtype.kind not in "iuf" or scores.shape != shape:
        expected = f"{shape[0]} numbers, one for each sum" if shape else "one number"
        raise TokbenchError(f"it scored {cropped(values)}, not {expected}")
    return scores.astype(np.float64)


def check_range(metric: Metric, values: Floats) -> Floats:
    """Return values if all are inside the range of a metric, or NaN; else raise TokbenchError."""
    low, high = metric.range
    wrong = np.isinf(values) | (values < low - _ROUNDING) | (values > high + _ROUNDING)
    if wrong.any():
        value = float(values[wrong][0])
        raise TokbenchError(f"it scored {value:g}, which is not in its range {low:g} to {high:g}")
    return values


def _checked(name: str, column: Any, rows: int) -> Any:
    table = isinstance(column, CountTable)
    values = np.asarray(column.counts if table else column)
    if values.dtype.kind not in "biuf":
        raise TokbenchError(f"it counted {values.dtype} in {name!r}, not numbers")
    shape = (len(column), column.width) if table else values.shape
    if shape[:1] != (rows,) or values.ndim != 1:
        raise TokbenchError(f"it counted {shape} in {name!r}, not {rows} rows")
    if table and not column.is_whole:
        raise TokbenchError(f"it counted a table in {name!r} whose arrays do not fit one another")
    if not np.isfinite(values).all():
        raise TokbenchError(f"it counted NaN or infinity in {name!r}")
    return column if table else _compact(values)


def _compact(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in 1 byte where all fit, since all columns stand in memory together."""
    with np.errstate(invalid="ignore"):
        small = values.astype(np.uint8)
    return small if np.array_equal(small, values) else values.astype(np.float64)


def _difference(words: Words, others: Words) -> str:
    """Return which line has words in only one of two texts, or an empty text if none."""
    here, there = len(words.lines) - 1, len(others.lines) - 1
    if words.numbers is not None and others.numbers is not None:
        lines = np.setxor1d(words.numbers, others.numbers)
        if len(lines):
            which = "words, but none" if lines[0] in words.numbers else "no words, but some"
            return f"line {lines[0]} has {which} in"
    return "" if here == there else f"{here} lines with words, but {there} in"


def side_by_side(counted: Sequence[Columns]) -> tuple[Floats, list[dict[str, int]]]:
    """Lay the columns of metrics side by side; return rows x columns, and the place of each.

    Many metrics count the same things: equal columns are there once, which halves the time.
    """
    distinct: list[NDArray[Any]] = []
    places: dict[bytes, int] = {}
    placed: list[dict[str, int]] = []
    for columns in counted:
        placed.append({})
        for name, column in columns.items():
            digest = blake2b(np.ascontiguousarray(column).data).digest()
            place = places.setdefault(digest + column.dtype.char.encode(), len(distinct))
            placed[-1][name] = place
            if place == len(distinct):
                distinct.append(column)
    return np.stack(distinct, axis=1, dtype=np.float64), placed
