"""Scoring by hand: sums by unit, subsets, resamples, and metrics that fail."""

from collections.abc import Mapping, Sequence
from itertools import chain, islice, product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from tokbench_char import CharSegmenter

from tests.cutting import CORPUS, SYSTEM, made, run_with
from tests.tiny import TinyRun, bounds
from tokbench.api import Metric, Vocabulary
from tokbench.api.arrays import CountTable, Segmentation
from tokbench.score.resample import draw, groups, interval


class TokensAWord(Metric):
    """Tokens a word."""

    formula, range, denominator = "tokens / words", (0, float("inf")), "words"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"tokens": segmentation.tokens, "words": np.ones(len(segmentation))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["tokens"] / sums["words"]


class TokensADistinctWord(TokensAWord):
    """Tokens a distinct word."""

    unit = "word"


class Longest(Metric):
    """Characters in all, counted by line."""

    formula, range, per, denominator = "characters", (0, float("inf")), "line", "lines"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        chars = segmentation.sum_lines(segmentation.chars)
        return {"characters": chars, "lines": np.ones(len(chars))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["characters"]


class Peak(Metric):
    """The share of the most frequent token, from a histogram."""

    formula, range, denominator = "max / sum", (0, 1), "bins"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"bins": segmentation.histogram, "tokens": segmentation.tokens}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return np.max(sums["bins"], axis=-1) / sums["tokens"]


class Wrong(TokensAWord):
    """Counts whatever a test wants."""

    columns: ClassVar[Any]

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return self.columns


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scoring")


def run(
    folder: Path, lines: Sequence[str], /, train: str = "x", corpora: str = "",
    **metrics: type[Metric],
) -> TinyRun:  # fmt: skip
    """Score characters as tokens, with 50 resamples."""
    return run_with(
        folder, Vocabulary(tuple("abc"), tuple("abc")), CharSegmenter, lines, train=train,
        metrics=f"[{', '.join(metrics)}]", components=metrics, resamples="50",
        **({"corpora": corpora} if corpora else {}), **{"resample-by": "line"},
    )  # fmt: skip


def scored(folder: Path, *lines: str, **options: Any) -> dict[tuple[str, str], Any]:
    """Return the row of each metric and subset, failing on any failure."""
    done = run(folder, lines, **options)
    assert not done.failures
    return {(row.metric, row.subset): row for row in done.rows}


def drawn(units: int, unit: str = "line") -> np.ndarray:
    """Return how often each unit is drawn in each resample."""
    return draw(units, 50, 0, f"{CORPUS}/{unit}")[1:]


def ends(row: Any) -> tuple[float, float]:
    return (row.low, row.high)


def test_running_text_is_weighted_and_distinct_words_are_not(folder: Path) -> None:
    rows = scored(folder, "a a a", "abc a", running=TokensAWord, distinct=TokensADistinctWord)
    assert rows["running", "all"].value == 7 / 5
    assert rows["running", "all"].n == 5
    assert rows["distinct", "all"].value == 2
    assert rows["distinct", "all"].n == 2


def test_the_unseen_subset_holds_words_that_training_lacks(folder: Path) -> None:
    rows = scored(folder, "a ab", "ab abc", train="ab ab ab", running=TokensAWord)
    unseen = rows["running", "unseen"]
    assert (unseen.value, unseen.n) == (2, 2)


def test_an_empty_subset_is_undefined_not_zero(folder: Path) -> None:
    rows = scored(folder, "a ab", train="a ab", running=TokensAWord)
    assert rows["running", "all"].value == 3 / 2
    assert rows["running", "unseen"].value is None


def test_a_line_metric_has_no_subsets(folder: Path) -> None:
    rows = scored(folder, "a ab", "abc", lines=Longest)
    assert set(rows) == {("lines", "all")}
    assert (rows["lines", "all"].value, rows["lines", "all"].n) == (6, 2)


@pytest.mark.parametrize(("lines", "sampled"), [(19, False), (20, True)])
def test_fewer_than_twenty_units_have_no_resamples(folder: Path, lines: int, sampled: bool) -> None:
    rows = scored(folder, *["a b"] * lines, running=TokensAWord)
    assert (rows["running", "all"].low is not None) == sampled


def test_resamples_are_those_of_the_weights(folder: Path) -> None:
    """Each resample is scored from its own lines, here one by one and by hand."""
    rows = scored(folder, *["a ab", "abc"] * 15, running=TokensAWord)
    tokens = drawn(30) @ np.array([3, 3] * 15)
    words = drawn(30) @ np.array([2, 1] * 15)
    assert ends(rows["running", "all"]) == bounds(*interval(tokens / words))


def test_histograms_have_no_interval(folder: Path) -> None:
    peak = scored(folder, *["a ab", "abc b"] * 15, peak=Peak)["peak", "all"]
    assert (peak.value, peak.n) == (pytest.approx(45 / 105, rel=1e-11), 105)
    assert ends(peak) == (None, None)


def grouped(by_unit: Sequence[Any]) -> np.ndarray:
    """Add up by group; beyond 10,000 units some groups hold two."""
    by_group: np.ndarray = np.add.reduceat(np.array(by_unit), groups(len(by_unit))[:-1])
    assert len(by_group) == 10_000 < len(by_unit)
    return by_group


def test_groups_of_lines_are_resampled_together(folder: Path) -> None:
    """Metrics of words and lines, each resample by hand from whole groups."""
    many = 4_500
    rows = scored(
        folder, *["a ab", "abc", "b abc c"] * many, running=TokensAWord, lines=Longest
    )  # fmt: skip
    weights = drawn(10_000)
    tokens = weights @ grouped([3, 3, 5] * many)
    words = weights @ grouped([2, 1, 3] * many)
    expected = {
        "running": (11 / 6, tokens / words),
        "lines": (11 * many, tokens.astype(float)),
    }
    for name, (value, samples) in expected.items():
        row = rows[name, "all"]
        assert row.value == pytest.approx(value, rel=1e-11), name
        assert ends(row) == bounds(*interval(samples)), name


def test_groups_of_distinct_words_are_resampled_together(folder: Path) -> None:
    """Words of a list; those of a text are never resampled, since their number would not vary."""
    letters = chain.from_iterable(product("abc", repeat=length) for length in range(1, 10))
    words = ["".join(word) for word in islice(letters, 12_000)]
    (folder / "listed.txt").write_text("".join(f"{word}\n" for word in words))
    corpora = f"{{train: train.txt, test: {{text: test.txt}}, lists: {{{CORPUS}: listed.txt}}}}"
    done = run(folder, words, corpora=corpora, distinct=TokensADistinctWord)
    rows = {row.corpus: row for row in done.rows if row.subset == "all"}
    weights = drawn(10_000, "word")
    tokens = weights @ grouped([len(word) for word in words])
    expected = interval(tokens / (weights @ grouped([1] * len(words))))
    assert ends(rows[CORPUS]) == bounds(*expected)
    assert rows["text"].value == rows[CORPUS].value
    assert ends(rows["text"]) == (None, None)


def test_metrics_that_count_the_same_are_scored_as_if_alone(folder: Path) -> None:
    lines = ["a ab", "abc b"] * 15
    metrics = {
        "one": TokensAWord, "two": made(TokensAWord), "lines": Longest, "peak": Peak,
        "high": made(Peak), "distinct": TokensADistinctWord,
    }  # fmt: skip
    together = scored(folder, *lines, train="ab", **metrics)
    for name, metric in metrics.items():
        for key, alone in scored(folder, *lines, train="ab", **{name: metric}).items():
            row = together[key]
            assert (alone.value, alone.n, *ends(alone)) == (row.value, row.n, *ends(row))


ONE_ROW = CountTable(np.array([2]), np.array([0, 1]), 3)
UNFIT = "it counted a table in 'tokens' whose arrays do not fit one another"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (None, "it counted no columns"),
        ({"tokens": np.ones(7), "words": np.ones(2)}, "it counted (7,) in 'tokens', not 2 rows"),
        ({"tokens": np.ones((2, 2))}, "it counted (2, 2) in 'tokens', not 2 rows"),
        (
            {"tokens": CountTable(np.array([2]), np.array([0, 1]), 3)},
            "it counted (1, 3) in 'tokens', not 2 rows",
        ),
        ({"tokens": CountTable(np.array([2]), np.array([0, 1, 1]), 2)}, UNFIT),
        ({"tokens": CountTable(np.array([0]), np.array([0, 1, 1]), 2, np.ones(3))}, UNFIT),
    ],
)
def test_a_metric_that_counts_wrongly_fails_alone(folder: Path, columns: Any, message: str) -> None:
    done = run(folder, ["a ab"], wrong=made(Wrong, columns=columns), right=TokensAWord)
    assert done.failures == (f"metric wrong: {message} (system {SYSTEM}, corpus {CORPUS})",)
    assert {(row.metric, row.value) for row in done.rows if row.subset == "all"} == {("right", 1.5)}
