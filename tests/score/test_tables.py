"""Sums over lines and distinct words, against counting one word at a time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_char import CharSegmenter

from tests.cutting import CORPUS, run_with
from tests.tiny import FEWER_EXAMPLES, TinyRun, bounds
from tokbench.api import Metric, Vocabulary
from tokbench.api.arrays import Segmentation, Words
from tokbench.score.resample import draw, interval

LETTERS = "abcde"
VALUES = np.array([[0.1, 1], [0.2, 2], [0.3, 3], [0.4, 4], [0.5, 700]])
"""The counts of each letter in two columns."""

RESAMPLES = 20


class Weighed(Metric):
    """Adds up what letters count."""

    formula, range, denominator = "sums", (0, float("inf")), "whole"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        counted = VALUES[[LETTERS.index(word) for word in segmentation.words.text]]
        fractions, whole = counted[segmentation.word].T
        return {"fractions": fractions, "whole": whole}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["fractions"] + sums["whole"]


class Once(Weighed):
    """Adds up what distinct letters count."""

    unit = "word"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def counted(folder: Path, lines: Sequence[str], train: str) -> TinyRun:
    run = run_with(
        folder, Vocabulary(tuple(LETTERS)), CharSegmenter, lines, train=train, words="whitespace",
        metrics="[weighed, once]", components={"weighed": Weighed, "once": Once},
        resamples=str(RESAMPLES),
    )  # fmt: skip
    assert run.failures == ()
    return run


def check(run: TinyRun, rows: Sequence[np.ndarray], train: str) -> None:
    """Compare values and intervals with counting each line, given as the numbers of letters."""
    table = np.array([np.bincount(row, minlength=5) for row in rows])
    unseen = np.array([letter not in train.split() for letter in LETTERS])
    for row in run.rows:
        if row.subset.startswith(("band:", "kind:")):
            continue
        chosen = np.ones(5, dtype=bool) if row.subset == "all" else unseen
        counts = (table if row.metric == "weighed" else np.sign(table.sum(axis=0))[None]) * chosen
        sums = counts.sum(axis=0) @ VALUES
        if counts.any() or row.subset == "all":
            assert (row.value, row.n) == pytest.approx((sums.sum(), sums[1]), rel=1e-11)
        if row.metric == "weighed":
            nonempty = counts.any(axis=1).sum()
            assert (row.low is not None) == (nonempty >= 20), row
        if row.low is not None:
            drawn = draw(len(rows), RESAMPLES, 0, f"{CORPUS}/line")[1:]
            low, high = interval((drawn @ counts @ VALUES).sum(axis=1))
            assert (row.low, row.high) == bounds(low, high)


def spelled(rows: Sequence[Sequence[int]]) -> list[str]:
    return [" ".join(LETTERS[word] for word in row) for row in rows]


@FEWER_EXAMPLES
@given(
    st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), min_size=18, max_size=26),
    st.sets(st.sampled_from(LETTERS)),
)
def test_sums_are_those_of_counting_each_line(
    folder: Path, rows: list[list[int]], known: set[str]
) -> None:
    """Of all words and of unseen ones; n is a sum of its own."""
    train = " ".join(["x", *sorted(known)])
    check(counted(folder, spelled(rows), train), [np.array(row) for row in rows], train)


@pytest.fixture(scope="module")
def long_rows() -> list[np.ndarray]:
    """Lines of one word 255, 256 and 70,000 times, one of 300,000 words, and many of 150."""
    generator = np.random.default_rng(0)
    return [
        np.full(255, 1),
        np.full(256, 1),
        np.append(np.full(70_000, 1), 2),
        *(generator.integers(0, 5, 1 + n % 7) for n in range(30)),
        generator.integers(0, 5, 300_000),
        *(generator.integers(0, 5, 150) for _ in range(1_000)),
        np.array([4]),
        generator.integers(0, 5, 300_000),
    ]


@pytest.fixture(scope="module")
def long(folder: Path, long_rows: list[np.ndarray]) -> TinyRun:
    return counted(folder, spelled(long_rows), "a b")


def test_sums_over_a_long_text_are_exact(long: TinyRun, long_rows: list[np.ndarray]) -> None:
    check(long, long_rows, "a b")


ROWS = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=6)


@given(ROWS)
def test_lines_add_up_their_words(rows: list[list[int]]) -> None:
    """Empty lines have 0, wherever they stand."""
    order = np.array([word for row in rows for word in row], dtype=np.uint32)
    ends = np.cumsum([0, *map(len, rows)])
    text = Words(
        tuple(LETTERS), order, ends,
        np.zeros(len(rows), dtype=np.int32), np.zeros(5, dtype=np.int64),
    )  # fmt: skip
    for values in ([3, 1, 4, 1, 5], [True, False, True, True, False], [0.5, 0.25, 2, 0, 1]):
        sums = text.sum_lines(np.array(values))
        assert sums.tolist() == [sum(values[word] for word in row) for row in rows]
    assert text.count.tolist() == np.bincount(order, minlength=5).tolist()
