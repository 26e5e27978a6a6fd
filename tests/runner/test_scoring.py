"""Scoring by hand: sums by unit, subsets, resamples, and metrics that fail."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from tokbench_char import CharSegmenter

from tokbench.api import AdditiveMetric, Metric, Segmentation, Vocabulary, WholeMetric
from tokbench.config import NamedMetric
from tokbench.corpora.load import TestCorpus
from tokbench.runner.bench import Bench
from tokbench.runner.failures import Failures
from tokbench.runner.scoring import Estimate, score
from tokbench.runner.segmenting import segment
from tokbench.stats import MOST_UNITS

MakeCorpus = Callable[..., TestCorpus]


class TokensAWord(AdditiveMetric):
    """Tokens a word."""

    formula, range, denominator = "tokens / words", (0, float("inf")), "words"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"tokens": segmentation.tokens, "words": np.ones(len(segmentation))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["tokens"] / sums["words"]


class TokensADistinctWord(TokensAWord):
    """Tokens a distinct word."""

    unit = "word"


class Longest(AdditiveMetric):
    """Characters in all, counted by line."""

    formula, range, per, denominator = "characters", (0, float("inf")), "line", "lines"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        chars = segmentation.sum_lines(segmentation.chars)
        return {"characters": chars, "lines": np.ones(len(chars))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["characters"]


class Peak(AdditiveMetric):
    """The share of the most frequent token, from a histogram."""

    formula, range, denominator = "max / sum", (0, 1), "bins"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"bins": segmentation.histogram, "tokens": segmentation.tokens}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return np.max(sums["bins"], axis=-1) / sums["tokens"]


class Whole(WholeMetric):
    """The number of states."""

    formula, range = "states", (0, float("inf"))

    def measure(self, segmentation: Segmentation) -> float:
        return len(segmentation)


class Wrong(TokensAWord):
    """Counts whatever a test wants."""

    columns: Any

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return self.columns


def scored(
    corpus: TestCorpus, most: int = MOST_UNITS, **metrics: Metric
) -> dict[tuple[str, str], Estimate]:
    """Score characters as tokens, failing on any failure."""
    failures = Failures()
    estimates = _score(corpus, metrics, failures, most)
    assert not failures.failures
    return estimates


def _score(
    corpus: TestCorpus, metrics: Mapping[str, Metric], failures: Failures, most: int = MOST_UNITS
) -> dict[tuple[str, str], Estimate]:
    vocabulary = Vocabulary(tokens=tuple("abc"), alphabet=tuple("abc"))
    segmentation = segment(corpus.words, vocabulary, CharSegmenter(), vocabulary)
    bench = Bench.prepare(corpus, resamples=50, seed=0, most=most)
    named = [NamedMetric(name, metric) for name, metric in metrics.items()]
    return score(bench, named, segmentation, failures)


def test_running_text_is_weighted_and_distinct_words_are_not(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus("a a a", "abc a")
    estimates = scored(corpus, running=TokensAWord(), distinct=TokensADistinctWord())
    assert estimates["running", "all"].value == 7 / 5
    assert estimates["running", "all"].n == 5
    assert estimates["distinct", "all"].value == 2
    assert estimates["distinct", "all"].n == 2


def test_the_unseen_subset_holds_words_that_training_lacks(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus("a ab", "ab abc", train={"ab": 3})
    unseen = scored(corpus, running=TokensAWord())["running", "unseen"]
    assert (unseen.value, unseen.n) == (2, 2)


def test_an_empty_subset_is_undefined_not_zero(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus("a ab", train={"a": 1, "ab": 1})
    assert np.isnan(scored(corpus, running=TokensAWord())["running", "unseen"].value)


def test_line_and_whole_metrics_have_no_subsets(make_corpus: MakeCorpus) -> None:
    estimates = scored(make_corpus("a ab", "abc"), lines=Longest(), whole=Whole())
    assert set(estimates) == {("lines", "all"), ("whole", "all")}
    assert (estimates["lines", "all"].value, estimates["lines", "all"].n) == (6, 2)
    assert estimates["whole", "all"].value == 3
    assert estimates["whole", "all"].samples is None


def test_line_metrics_are_left_out_of_lists(make_corpus: MakeCorpus) -> None:
    text = make_corpus("a", "ab")
    as_list = TestCorpus("novel", "list", text.words, text.digest, "entries")
    assert scored(as_list, lines=Longest()) == {}


def test_fewer_than_twenty_units_have_no_resamples(make_corpus: MakeCorpus) -> None:
    nineteen = scored(make_corpus(*["a b"] * 19), running=TokensAWord())
    twenty = scored(make_corpus(*["a b"] * 20), running=TokensAWord())
    assert nineteen["running", "all"].samples is None
    assert twenty["running", "all"].samples is not None


def test_resamples_are_those_of_the_weights(make_corpus: MakeCorpus) -> None:
    """Each resample is scored from its own lines, here one by one and by hand."""
    corpus = make_corpus(*["a ab", "abc"] * 15)
    estimate = scored(corpus, running=TokensAWord())["running", "all"]
    bench = Bench.prepare(corpus, resamples=50, seed=0)
    drawn = np.concatenate(list(bench.weights["line"].chunks(1)))
    tokens = drawn @ np.array([3, 3] * 15)
    words = drawn @ np.array([2, 1] * 15)
    assert estimate.samples is not None
    assert estimate.samples.tolist() == (tokens / words).tolist()


def test_histograms_are_resampled_like_columns(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(*["a ab", "abc b"] * 15)
    estimate = scored(corpus, peak=Peak())["peak", "all"]
    bench = Bench.prepare(corpus, resamples=50, seed=0)
    drawn = np.concatenate(list(bench.weights["line"].chunks(1)))
    bins = drawn @ np.array([[2, 1, 0], [1, 2, 1]] * 15)
    assert estimate.value == 45 / 105
    assert estimate.n == 105
    assert estimate.samples is not None
    assert estimate.samples.tolist() == (bins.max(axis=1) / bins.sum(axis=1)).tolist()


def blocked(by_line: list[int], blocks: int) -> np.ndarray:
    """Add up 45 lines by 22 blocks, 21 of them of two lines and one of three."""
    ends = [len(by_line) * block // blocks for block in range(blocks + 1)]
    return np.array([sum(by_line[a:b]) for a, b in pairwise(ends)])


def test_blocks_of_lines_are_resampled_together(make_corpus: MakeCorpus) -> None:
    """Metrics of words, lines and histograms, each resample by hand from whole blocks."""
    corpus = make_corpus(*["a ab", "abc", "b abc c"] * 15)
    metrics = {"running": TokensAWord(), "lines": Longest(), "peak": Peak()}
    estimates = scored(corpus, most=22, **metrics)
    drawn = np.concatenate(
        list(Bench.prepare(corpus, resamples=50, seed=0, most=22).weights["line"].chunks(1))
    )
    assert drawn.shape == (50, 22)
    tokens = drawn @ blocked([3, 3, 5] * 15, 22)
    words = drawn @ blocked([2, 1, 3] * 15, 22)
    bins = np.stack([drawn @ blocked(of * 15, 22) for of in ([2, 1, 1], [1, 1, 2], [0, 1, 2])])
    expected = {
        "running": tokens / words,
        "lines": tokens.astype(float),
        "peak": bins.max(axis=0) / tokens,
    }
    for name, samples in expected.items():
        estimate = estimates[name, "all"]
        assert estimate.samples is not None
        assert estimate.samples.tolist() == samples.tolist()
    assert estimates["running", "all"].value == 165 / 90
    assert estimates["lines", "all"].value == 165
    assert estimates["peak", "all"].value == 60 / 165


def test_blocks_of_distinct_words_are_resampled_together(make_corpus: MakeCorpus) -> None:
    words = ["abc"[n % 3] * (n // 3 + 1) for n in range(45)]
    estimate = scored(make_corpus(*words), most=22, distinct=TokensADistinctWord())
    bench = Bench.prepare(make_corpus(*words), resamples=50, seed=0, most=22)
    drawn = np.concatenate(list(bench.weights["word"].chunks(1)))
    tokens = drawn @ blocked([len(word) for word in words], 22)
    samples = estimate["distinct", "all"].samples
    assert samples is not None
    assert samples.tolist() == (tokens / (drawn @ blocked([1] * 45, 22))).tolist()


def test_too_few_blocks_hold_a_word_of_the_subset(make_corpus: MakeCorpus) -> None:
    """Twenty lines hold an unseen word, side by side in seven blocks."""
    corpus = make_corpus(*["a b"] * 20, *["b"] * 40, train={"b": 1})
    assert scored(corpus, most=20, running=TokensAWord())["running", "unseen"].samples is None
    assert scored(corpus, most=60, running=TokensAWord())["running", "unseen"].samples is not None


def test_metrics_that_count_the_same_are_scored_as_if_alone(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(*["a ab", "abc b"] * 15, train={"ab": 1})
    metrics = {
        "one": TokensAWord(), "two": TokensAWord(), "lines": Longest(), "peak": Peak(),
        "high": Peak(), "distinct": TokensADistinctWord(),
    }  # fmt: skip
    together = scored(corpus, **metrics)
    for name, metric in metrics.items():
        for key, alone in scored(corpus, **{name: metric}).items():
            assert (alone.value, alone.n) == (together[key].value, together[key].n)
            assert (alone.samples is None) == (together[key].samples is None)
            if alone.samples is not None:
                assert alone.samples.tobytes() == together[key].samples.tobytes()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "it counted no columns"),
        (None, "it counted no columns"),
        ({"tokens": np.ones(7), "words": np.ones(2)}, "it counted (7,) in 'tokens', not 2 rows"),
        ({"tokens": np.ones((2, 2))}, "it counted (2, 2) in 'tokens', not 2 rows"),
        ({"tokens": sparse.csr_array((3, 4))}, "it counted (3, 4) in 'tokens', not 2 rows"),
        ({"tokens": [1.0, float("nan")]}, "it counted NaN or infinity in 'tokens'"),
        ({"tokens": np.ones(2)}, "it counts no column 'words' for its n"),
    ],
)
def test_a_metric_that_counts_wrongly_fails_alone(
    make_corpus: MakeCorpus, columns: Any, message: str
) -> None:
    failures = Failures()
    metrics = {"wrong": Wrong(columns=columns), "right": TokensAWord()}
    estimates = _score(make_corpus("a ab"), metrics, failures)
    assert failures.failures == [f"metric wrong: {message} (corpus test)"]
    assert estimates["right", "all"].value == 1.5
    assert ("wrong", "all") not in estimates
