"""How often the 95 % intervals hold the value of the text that test texts are drawn from.

The population is a whole corpus, whose value of each metric is known; test texts of 150 of its
units are drawn from it. With 200 texts a true coverage of 0.95 is estimated within 0.03 (two
standard errors); the percentile interval is first-order accurate and so a little below 0.95.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tokbench_bpe import tokbench_learners, tokbench_segmenters

from tokbench import plugins
from tokbench.api import AdditiveMetric, ParallelMetric, Size, Words
from tokbench.config import NamedMetric
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.source import Source
from tokbench.corpora.words import WordsBuilder
from tokbench.runner.bench import Bench
from tokbench.runner.failures import Failures
from tokbench.runner.scoring import Estimate, score
from tokbench.runner.segmenting import segment
from tokbench.stats import MOST_UNITS, interval

TEXTS, UNITS = 200, 150
# Passages of consecutive lines, of which a text of 1,500 lines is made, and their blocks of 15.
PASSAGES, LONG, BLOCKS = 150, 10, 100
# Shares of rare events (8 unknown words in a text) are covered worst: their resamples are skewed.
LEAST = 0.85
# What needs whole lines, or a translation, is a ratio of counts by line as `tokens` here is.
METRICS = [
    NamedMetric(offer.name, offer.component())
    for offer in plugins.load().offers
    if offer.kind == "metric"
    and issubclass(offer.component, AdditiveMetric)
    and not issubclass(offer.component, ParallelMetric)
    and "context" not in offer.component.needs
]
WITH_INTERVAL = [named.name for named in METRICS if named.metric.interval]


def corpus(words: Words, kind: str) -> TestCorpus:
    return TestCorpus("population", kind, words, "0" * 64, "words")


class Population:
    """A corpus, and test corpora drawn from its lines."""

    def __init__(self, words: Words, kind: str) -> None:
        self.words, self.kind = words, kind
        learner = tokbench_learners()["bpe"]()
        training = {w: int(c) for w, c in zip(words.text, words.count, strict=True) if len(w) % 3}
        self.vocabulary = learner.learn(training, Size(learned=600))
        self.segmenter = tokbench_segmenters()["bpe"]()
        self.prepared = self.segmenter.prepare(self.vocabulary)

    def estimates(
        self, words: Words, resamples: int, most: int = MOST_UNITS
    ) -> dict[tuple[str, str], Estimate]:
        segmentation = segment(words, self.vocabulary, self.segmenter, self.prepared)
        bench = Bench.prepare(corpus(words, self.kind), resamples, seed=1, most=most)
        return score(bench, METRICS, segmentation, Failures())

    def draws(self, units: int = UNITS, together: int = 1) -> Iterator[Words]:
        """Draw texts of so many passages, each of lines that stand together."""
        generator = np.random.default_rng(20)
        lines = len(self.words.lines) - 1
        for _ in range(TEXTS):
            first = generator.integers(0, lines, units)
            yield self.drawn((first[:, None] + np.arange(together)).ravel() % lines)

    def drawn(self, lines: np.ndarray) -> Words:
        builder = WordsBuilder()
        numbers: dict[int, None] = {}
        for line in lines:
            order = self.words.order[self.words.lines[line] : self.words.lines[line + 1]]
            numbers.update(dict.fromkeys(order.tolist()))
            builder.add([self.words.text[i] for i in order], 0)
        known = dict(zip(self.words.text, self.words.train_count.tolist(), strict=True))
        gold = self.words.gold
        return builder.build(known, None if gold is None else [gold[i] for i in numbers])


@pytest.fixture(scope="module")
def coverage(root: Path) -> dict[str, float]:
    """The share of intervals that hold the population's value, by metric."""
    text = load(root / "corpora/english.train.txt", "text")
    gold = load(root / "corpora/english.gold.tsv", "gold")
    held: dict[str, list[bool]] = {name: [] for name in WITH_INTERVAL}
    # Distinct words of a text are no sample of a larger text's, which has rarer ones: metrics of
    # distinct words are tried on the gold words, which are drawn as units of their own.
    for words, kind, unit in ((gold, "gold", "word"), (text, "text", "line")):
        population = Population(words, kind)
        names = [m.name for m in METRICS if m.metric.unit == unit and m.name in held]
        true = {key: e.value for key, e in population.estimates(words, 1).items()}
        # A total grows with the text: the population's is that of as many units.
        true["tokens", "all"] = true.get(("tokens", "all"), 0) * UNITS / (len(words.lines) - 1)
        for drawn in population.draws():
            estimates = population.estimates(drawn, 400)
            for name in names:
                low, high = interval(estimates[name, "all"].samples)
                held[name].append(low <= true[name, "all"] <= high)
    return {name: float(np.mean(hits)) for name, hits in held.items()}


@pytest.fixture(scope="module")
def blocked(root: Path) -> dict[str, tuple[float, float]]:
    """The same for texts of passages, resampled by line and by block of lines."""
    words = load(root / "corpora/english.train.txt", "text")
    population = Population(words, "text")
    true = {key: e.value for key, e in population.estimates(words, 1).items()}
    true["tokens", "all"] *= PASSAGES * LONG / (len(words.lines) - 1)
    names = [m.name for m in METRICS if m.metric.unit == "line" and m.name in WITH_INTERVAL]
    held: dict[str, list[tuple[bool, ...]]] = {name: [] for name in names}
    for drawn in population.draws(PASSAGES, LONG):
        tried = [population.estimates(drawn, 400, most) for most in (MOST_UNITS, BLOCKS)]
        for name in names:
            ends = [interval(estimates[name, "all"].samples) for estimates in tried]
            held[name].append(tuple(low <= true[name, "all"] <= high for low, high in ends))
    return {name: tuple(np.mean(hits, axis=0)) for name, hits in held.items()}


def load(path: Path, kind: str) -> Words:
    from tokbench.config import Corpus
    from tokbench.corpora.load import load_corpora
    from tokbench.corpora.splitters import tokbench_splitters

    words = tokbench_splitters()["words"]()
    training = Corpus(Source(path=(path.parent / "english.test.txt",)), "words", words)
    described = {"population": Corpus(Source(path=(path,)), "words", words)}
    tests = described if kind == "text" else {}
    gold = described if kind == "gold" else {}
    return load_corpora(training, tests, {}, gold, seed=0).tests[0].words


@pytest.mark.slow
@pytest.mark.parametrize("metric", WITH_INTERVAL)
def test_intervals_hold_the_true_value(metric: str, coverage: dict[str, float]) -> None:
    assert coverage[metric] >= LEAST


@pytest.mark.slow
def test_the_documented_coverage_is_what_was_measured(
    coverage: dict[str, float], root: Path
) -> None:
    document = (root / "docs" / "statistics.md").read_text(encoding="utf-8")
    for metric, share in coverage.items():
        assert f"| `{metric}` | {share:.3f} |" in document


@pytest.mark.slow
def test_blocks_hold_the_true_value_where_lines_are_alike(
    blocked: dict[str, tuple[float, float]],
) -> None:
    """Lines that stand together are alike: alone they make intervals too narrow, blocks less so."""
    by_line, by_block = np.array([*blocked.values()]).T
    assert (by_block >= LEAST).all()
    assert by_block.mean() > by_line.mean()


@pytest.mark.slow
def test_the_documented_coverage_of_blocks_is_what_was_measured(
    blocked: dict[str, tuple[float, float]], root: Path
) -> None:
    document = (root / "docs" / "statistics.md").read_text(encoding="utf-8")
    for metric, (by_line, by_block) in blocked.items():
        assert f"| `{metric}` | {by_line:.3f} | {by_block:.3f} |" in document
