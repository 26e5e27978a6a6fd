"""A tiny stand-in for the engine: segmentations from literals, and values from summed counts."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pytest

from tests.offered import offered
from tokbench.api import Marks, Metric, Vocabulary
from tokbench.api.arrays import CountTable, Segmentation, Words


def byte_length(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def build_words(
    text: Sequence[str],
    lines: Sequence[Sequence[str]],
    train: Mapping[str, int],
    gold: Mapping[str, Sequence[str]] | None,
) -> Words:
    number = {word: i for i, word in enumerate(text)}
    order = [number[word] for line in lines for word in line]
    cuts = None
    if gold is not None:
        cuts = tuple(
            tuple(
                tuple(accumulate(map(byte_length, alternative.split(" ")[:-1])))
                for alternative in gold.get(word, ())
            )
            for word in text
        )
    return Words(
        text=tuple(text),
        order=np.array(order, dtype=np.uint32),
        lines=np.array([0, *accumulate(map(len, lines))], dtype=np.int64),
        documents=np.zeros(len(lines), dtype=np.int32),
        train_count=np.array([train.get(word, 0) for word in text], dtype=np.int64),
        gold=cuts,
    )


def build(
    tokens: Mapping[str, Sequence[Any]],
    lines: Sequence[str | Sequence[str]] | None = None,
    train: Mapping[str, int] | None = None,
    gold: Mapping[str, Sequence[str]] | None = None,
    vocabulary: Vocabulary | Sequence[str] | None = None,
) -> Segmentation:
    """Build a segmentation from each word's tokens: texts, or (text or None, bytes) pairs.

    Without `lines` each word occurs once, all in one line; without `vocabulary` every token is
    known; `gold` holds alternatives such as "un break able".
    """
    split = [line.split() if isinstance(line, str) else line for line in lines or [[*tokens]]]
    if vocabulary is None:
        texts = [t if isinstance(t, str) else t[0] for cut in tokens.values() for t in cut]
        vocabulary = list(dict.fromkeys(text for text in texts if text is not None))
    if not isinstance(vocabulary, Vocabulary):
        vocabulary = Vocabulary(tuple(vocabulary))
    row, ids, starts, ends, round_trip = [0], [], [], [], []
    for word, cut in tokens.items():
        position, decoded = 0, ""
        for token in cut:
            text, size = token if isinstance(token, tuple) else (token, None)
            end = position + (byte_length(Marks.strip(text)) if size is None else size)
            if text is not None:
                ids.append(vocabulary.ids.get(text, -1))
                starts.append(position)
                ends.append(end)
                decoded += Marks.strip(text) if text in vocabulary.ids else "\ufffd"
            position = end
        assert position == byte_length(word), f"{cut} does not cover {word!r}"
        row.append(len(ids))
        round_trip.append(decoded == word)
    return Segmentation(
        words=build_words([*tokens], split, train or {}, gold),
        vocabulary=vocabulary,
        word=np.arange(len(tokens), dtype=np.int64),
        row=np.array(row, dtype=np.int64),
        ids=np.array(ids, dtype=np.int64),
        starts=np.array(starts, dtype=np.int64),
        ends=np.array(ends, dtype=np.int64),
        round_trip=np.array(round_trip, dtype=bool),
    )


def sum_columns(metric: Any, segmentation: Segmentation, weights: Any = None) -> dict[str, Any]:
    """Add up a metric's counts over its units; `weights` are one row of units a resample."""
    words = segmentation.words
    units = np.eye(len(words), dtype=int)
    if metric.unit == "line":
        lines = pairwise(words.lines)
        units = np.array([units[words.order[a:b]].sum(axis=0) for a, b in lines])
    if weights is None:
        weights = np.ones(units.shape[0], dtype=int)
    if metric.per == "word":
        weights = (weights @ units)[..., segmentation.word]
    columns = {
        name: column.toarray() if isinstance(column, CountTable) else column
        for name, column in metric.count(segmentation).items()
    }
    return {name: weights @ column for name, column in columns.items()}


def score(metric: Any, segmentation: Segmentation, weights: Any = None) -> Any:
    sums = sum_columns(metric, segmentation, weights)
    with np.errstate(all="ignore"):
        return metric.score(sums, segmentation.vocabulary.size)


def configured(name: str, **options: Any) -> Any:
    """Build a metric; one that compares texts takes a text as its own translation."""
    metric = offered("metric")[name]
    for need, option in {"lines": "reference", "system": "of"}.items():
        if need in metric.needs:
            options = {option: "itself", **options}
    return metric.configure(**options)


@pytest.fixture(scope="session")
def built() -> Callable[..., Any]:
    """Call it with a metric's name, and its options."""
    return configured


@pytest.fixture(scope="session")
def metrics() -> Mapping[str, type[Metric]]:
    """All metrics but those of pairs and of models, which have tests of their own."""
    own = {"pairs", "training-lines"}
    return {name: metric for name, metric in offered("metric").items() if not own & {*metric.needs}}


@pytest.fixture(scope="session")
def segment() -> Callable[..., Segmentation]:
    return build


@pytest.fixture(scope="session")
def sums() -> Callable[..., dict[str, Any]]:
    """Call it with a metric's name, a segmentation, perhaps weights, and the metric's options."""

    def sums_of(name: str, segmentation: Segmentation, weights: Any = None, **options: Any) -> Any:
        metric = configured(name, **options)
        return sum_columns(metric, segmentation, weights)

    return sums_of


@pytest.fixture(scope="session")
def value() -> Callable[..., Any]:
    """Call it with a metric's name, a segmentation, perhaps weights, and the metric's options."""

    def value_of(name: str, segmentation: Segmentation, weights: Any = None, **options: Any) -> Any:
        return score(configured(name, **options), segmentation, weights)

    return value_of
