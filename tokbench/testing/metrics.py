"""The promises of metrics, checked on a small segmentation with all that occurs in real ones."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Metric, PairMetric
from tokbench.api.arrays import CountTable, Segmentation
from tokbench.api.metric import TrainingLines, TrainingMetric
from tokbench.score.count import check_range, count, count_states
from tokbench.testing.offers import Subject
from tokbench.testing.promise import checking, each_input, expect
from tokbench.testing.segmentations import (
    DISTINCT,
    LINES,
    alternating,
    paired,
    sample,
    sample_in_context,
    sample_segmenter,
)

DenseColumns = dict[str, NDArray[np.float64]]
TOLERANCE = 1e-9
RESAMPLES = 5


def additive(subject: Subject[Metric]) -> None:
    """Check that what a word (or line) counts does not depend on the others."""
    sampled = sample()
    columns = _columns(subject.component, sampled, "the whole text")
    for name, rows, part in _shards(subject.component):
        counted = _columns(subject.component, sample(part), name)
        right = f"the columns {sorted(columns)}"
        expect(counted.keys() == columns.keys(), name, sorted(counted), right)
        for key, got in counted.items():
            column = columns[key][rows]
            same = got.shape == column.shape and np.allclose(got, column, TOLERANCE)
            right = f"{column.sum():g} as for the same rows of the whole text"
            expect(same, f"{name}, the column {key!r}", f"{got.sum():g} in all", right)


def in_range(subject: Subject[Metric]) -> None:
    """Check that values lie in the range or are NaN: of the text, each line and each word.

    And of the text in context, where tokens stand between words and cover several.
    """
    metric = subject.component
    texts = {
        "the whole text": LINES,
        **{f"line {number}": [line] for number, line in enumerate(LINES)},
        **{f"the word {word!r}": [[word]] for word in DISTINCT},
    }
    if isinstance(metric, PairMetric):
        cut = {"the pairs": paired(sample())}
    else:
        cut = {what: sample(text) for what, text in texts.items()}
        cut["the whole text in context"] = sample_in_context()
    for what, segmentation in cut.items():
        with each_input():
            value = _value(metric, segmentation, what)
            with checking(what):
                check_range(metric, np.array(value))


def deterministic(subject: Subject[Metric]) -> None:
    """Check that a segmentation gives the same value twice, also from the same arrays."""
    segmentation, same = _sample(subject.component), _sample(subject.component)
    once = _value(subject.component, segmentation, "the whole text")
    for other, what in ((segmentation, "the same arrays again"), (same, "equal arrays")):
        second = _value(subject.component, other, what)
        expect(_same(second, once), what, second, f"{once} as before")


def in_context(subject: Subject[Metric]) -> None:
    """Check that words with two states of the same tokens have the value of words with one."""
    sampled = sample()
    once = _value(subject.component, sampled, "the whole text")
    what = "the text in context, each word with two states alike"
    second = _value(subject.component, alternating(sampled), what)
    expect(_same(second, once), what, second, f"{once} as of words alone")


def resamples(subject: Subject[Metric]) -> None:
    """Check that scoring many sums at once gives the same as one by one; not of histograms."""
    sampled = _sample(subject.component)
    columns = _columns(subject.component, sampled, "the whole text")
    if any(column.ndim > 1 for column in columns.values()):
        return
    rows = len(next(iter(columns.values())))
    weights = np.random.default_rng(0).integers(0, 4, (RESAMPLES, rows)).astype(np.float64)
    weights[-1] = 0
    drawn = {name: weights @ column for name, column in columns.items()}
    what = f"{RESAMPLES} sums at once, the last of them zero"
    _expect_as_one_by_one(subject.component, sampled.vocabulary.size, drawn, what)


def curve(subject: Subject[Metric]) -> None:
    """Check that what is counted by state gives the value, also of many |V| at once.

    A metric that counts a histogram by state, or nothing, has no curve.
    """
    metric, sampled = subject.component, sample()
    with checking("the states of the whole text"):
        columns = count_states(metric, sampled)
    if columns is None:
        return
    times = sampled.words.count if metric.unit == "line" else np.ones(len(sampled.words))
    sums = {name: times[sampled.word] @ column for name, column in columns.items()}
    what = "the states of the whole text added up"
    score = float(_score(metric, sampled.vocabulary.size, sums, what))
    value = _value(metric, sampled, "the whole text")
    expect(_same(score, value), what, score, f"{value} as the text")
    sizes = sampled.vocabulary.size + np.arange(RESAMPLES)
    drawn = {name: np.arange(RESAMPLES) * total for name, total in sums.items()}
    _expect_as_one_by_one(metric, sizes, drawn, f"{RESAMPLES} sums with as many vocabulary sizes")


def _expect_as_one_by_one(metric: Metric, sizes: Any, drawn: Mapping[str, Any], what: str) -> None:
    """Raise PromiseError unless the scores of many sums are those of each sum alone."""
    scores = _score(metric, sizes, drawn, what)
    shape = np.shape(scores)
    expect(shape == (RESAMPLES,), what, f"an array {shape}", f"({RESAMPLES},)")
    for i, size in enumerate(np.broadcast_to(sizes, RESAMPLES).tolist()):
        sums = {name: column[i] for name, column in drawn.items()}
        alone, got = float(_score(metric, size, sums, f"sum {i} alone")), float(scores[i])
        expect(_same(got, alone), f"{what}: number {i}", got, f"{alone} as alone")


def undefined(subject: Subject[Metric]) -> None:
    """Check that the value is NaN where nothing is counted; or 0, if the metric is a total.

    A total is a value that doubles when all sums are doubled.
    """
    metric, sampled = subject.component, _sample(subject.component)
    columns = _columns(metric, sampled, "the whole text")

    def score(times: int) -> float:
        sums = {name: times * column.sum(axis=0) for name, column in columns.items()}
        what = f"the sums of the whole text times {times}"
        return float(_score(metric, sampled.vocabulary.size, sums, what))

    nothing, once = score(0), score(1)
    total = once != 0 and _same(score(2), 2 * once)
    right = "NaN, since nothing was measured"
    expect(np.isnan(nothing) or (total and nothing == 0), "sums of zero", nothing, right)


def _shards(
    metric: Metric,
) -> Iterator[tuple[str, slice | NDArray[Any], Sequence[Sequence[str]]]]:
    """List parts of the text: a name, the rows of the whole text that it keeps, and its lines."""
    line_of_place = np.repeat(np.arange(len(LINES)), [len(line) for line in LINES])
    for parity, name in enumerate(("even", "odd")):
        every_other = slice(parity, None, 2)
        if metric.per == "line":
            yield f"the {name} lines alone", every_other, LINES[every_other]
        elif metric.per == "place":
            yield f"the {name} lines alone", line_of_place % 2 == parity, LINES[every_other]
        else:
            words = DISTINCT[every_other]
            part = [[word for word in line if word in words] for line in LINES]
            yield f"the {name} words alone", every_other, part


def _sample(metric: Metric) -> Segmentation:
    """Return the sample; of pairs, each word is changed into the next one."""
    return paired(sample()) if isinstance(metric, PairMetric) else sample()


def _columns(metric: Metric, segmentation: Segmentation, what: str) -> DenseColumns:
    # A metric that compares a text with another takes the text for both.
    needs: Any = {"reference": segmentation} if {"lines", "system"} & {*metric.needs} else {}
    if isinstance(metric, TrainingMetric):
        needs = {"training": TrainingLines(sample().words, sample_segmenter().tokens, False)}
    with checking(what):
        columns = count(metric, segmentation, needs)
    return {
        name: column.toarray() if isinstance(column, CountTable) else column
        for name, column in columns.items()
    }


def _value(metric: Metric, segmentation: Segmentation, what: str) -> float:
    columns = _columns(metric, segmentation, what)
    if metric.per != "word":
        sums = {name: column.sum(axis=0) for name, column in columns.items()}
    else:
        counts = segmentation.count.astype(np.float64)
        if metric.unit == "word":
            counts /= segmentation.words.count[segmentation.word]
        sums = {name: counts @ column for name, column in columns.items()}
    return float(_score(metric, segmentation.vocabulary.size, sums, what))


def _score(metric: Metric, size: Any, sums: Mapping[str, Any], what: str) -> Any:
    with checking(what), np.errstate(all="ignore"):
        return metric.score(sums, size)


def _same(value: float, other: float) -> bool:
    return bool(np.isclose(value, other, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))
