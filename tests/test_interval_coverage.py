"""How often the 95 % intervals hold the value of the text that test texts are drawn from.

The population is a whole corpus, whose value of each metric is known; test texts of 150 of its
units are drawn from it. With 200 texts a true coverage of 0.95 is estimated within 0.03 (two
standard errors); the percentile interval is first-order accurate and so a little below 0.95.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokbench_bpe.learner import Bpe

from tests.cutting import Ready, made
from tests.tiny import TinyRun, installed, offering, tiny_run
from tokbench.api import AdditiveMetric, ParallelMetric, Segmentation, Size, Vocabulary, Words
from tokbench.score.resample import Weights, blocks, interval

TEXTS, UNITS = 200, 150
# Passages of consecutive lines, of which a text of 1,500 lines is made, and their blocks of 15.
PASSAGES, LONG, BLOCKS = 150, 10, 100
# Shares of rare events (8 unknown words in a text) are covered worst: their resamples are skewed.
LEAST = 0.85
# What needs whole lines, or a translation, is a ratio of counts by line as `tokens` here is.
METRICS: dict[str, Any] = {
    offer.name: offer.component()
    for offer in installed().offers
    if offer.kind == "metric"
    and issubclass(offer.component, AdditiveMetric)
    and not issubclass(offer.component, ParallelMetric)
    and "context" not in offer.component.needs
}
WITH_INTERVAL = [name for name, metric in METRICS.items() if metric.interval]
NAME, SEED, RESAMPLES = "population", 1, 400


class Population:
    """A corpus, and test corpora drawn from its lines."""

    def __init__(self, folder: Path, path: Path, kind: str) -> None:
        self.folder, self.kind = folder, kind
        self.training = path.parent / "english.test.txt"
        self.own = path.read_text(encoding="utf-8")

    @cached_property
    def words(self) -> Words:
        """The words of the whole corpus."""
        return self.run(self.own, Vocabulary(()), "[vocabulary-use]").words(NAME)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary that BPE learns from about two thirds of the words."""
        pairs = zip(self.words.text, self.words.count.tolist(), strict=True)
        training = {word: count for word, count in pairs if len(word) % 3}
        return Bpe().learn(training, Size(learned=600))

    def run(self, text: str, vocabulary: Vocabulary, metrics: str) -> TinyRun:
        """Score a text, or gold words, with BPE."""
        key = "test" if self.kind == "text" else "gold"
        return tiny_run(
            self.folder, offering(given=made(Ready, vocabulary=vocabulary)), {NAME: text},
            corpora=f"{{train: '{self.training}', {key}: {{{NAME}: {NAME}.txt}}}}",
            systems="[{name: s, learner: given, segmenter: bpe}]",
            sizes=None, metrics=metrics, resamples=str(RESAMPLES), seed=str(SEED),
        )  # fmt: skip

    def scored(self, text: str, names: Sequence[str]) -> tuple[dict[str, Any], Segmentation]:
        """Return the rows of all words by metric, and how the words were cut."""
        run = self.run(text, self.vocabulary, f"[{', '.join(names)}]")
        assert run.failures == ()
        rows = {row.metric: row for row in run.rows if row.subset == "all"}
        return rows, run.segmentation("s", NAME)

    def values(self, names: Sequence[str]) -> dict[str, float]:
        """Return the values of the population."""
        return {name: row.value for name, row in self.scored(self.own, names)[0].items()}

    def draws(self, units: int = UNITS, together: int = 1) -> Iterator[str]:
        """Draw texts of so many passages, each of lines that stand together."""
        generator = np.random.default_rng(20)
        lines = len(self.words.lines) - 1
        for _ in range(TEXTS):
            first = generator.integers(0, lines, units)
            yield self.drawn((first[:, None] + np.arange(together)).ravel() % lines)

    def drawn(self, lines: np.ndarray) -> str:
        """Write lines, or the gold words of lines, each once."""
        words = self.words
        orders = [words.order[words.lines[line] : words.lines[line + 1]] for line in lines]
        if words.gold is None:
            return "".join(" ".join(words.text[i] for i in order) + "\n" for order in orders)
        numbers = dict.fromkeys(int(i) for order in orders for i in order)
        return "".join(gold_line(words.text[i], words.gold[i]) for i in numbers)


def gold_line(word: str, alternatives: Sequence[Sequence[int]]) -> str:
    """Write a gold word with its alternatives."""
    raw = word.encode()
    spelled = []
    for inner in alternatives:
        ends = [0, *inner, len(raw)]
        parts = (raw[a:b].decode() for a, b in pairwise(ends))
        spelled.append(" ".join(parts))
    return f"{word}\t{', '.join(spelled)}\n"


def in_blocks(metric: Any, cut: Segmentation) -> tuple[float, float]:
    """Return the interval from resampling blocks of lines in place of lines."""
    lines = len(cut.words.lines) - 1
    sums = {}
    drawn = np.concatenate([*Weights(BLOCKS, RESAMPLES, SEED, f"{NAME}/line").chunks(1)])
    for name, column in metric.count(cut).items():
        by_line = column if metric.per == "line" else cut.sum_lines(np.asarray(column, dtype=float))
        sums[name] = drawn @ np.add.reduceat(by_line, blocks(lines, BLOCKS)[:-1])
    found = interval(metric.score(sums, cut.vocabulary.size))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def coverage(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """The share of intervals that hold the population's value, by metric."""
    folder = tmp_path_factory.mktemp("coverage")
    text = Population(folder, root / "corpora/english.train.txt", "text")
    gold = Population(folder, root / "corpora/english.gold.tsv", "gold")
    held: dict[str, list[bool]] = {name: [] for name in WITH_INTERVAL}
    # Distinct words of a text are no sample of a larger text's, which has rarer ones: metrics of
    # distinct words are tried on the gold words, which are drawn as units of their own.
    for population, unit in ((gold, "word"), (text, "line")):
        names = [name for name in held if METRICS[name].unit == unit]
        true = population.values(names)
        if "tokens" in true:
            # A total grows with the text: the population's is that of as many units.
            true["tokens"] *= UNITS / (len(population.words.lines) - 1)
        for drawn in population.draws():
            rows, _ = population.scored(drawn, names)
            for name in names:
                held[name].append(rows[name].low <= true[name] <= rows[name].high)
    return {name: float(np.mean(hits)) for name, hits in held.items()}


@pytest.fixture(scope="module")
def blocked(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[float, float]]:
    """The same for texts of passages, resampled by line and by block of lines."""
    folder = tmp_path_factory.mktemp("blocks")
    population = Population(folder, root / "corpora/english.train.txt", "text")
    names = [name for name in WITH_INTERVAL if METRICS[name].unit == "line"]
    true = population.values(names)
    true["tokens"] *= PASSAGES * LONG / (len(population.words.lines) - 1)
    held: dict[str, list[tuple[bool, ...]]] = {name: [] for name in names}
    for drawn in population.draws(PASSAGES, LONG):
        rows, cut = population.scored(drawn, names)
        for name in names:
            ends = [(rows[name].low, rows[name].high), in_blocks(METRICS[name], cut)]
            held[name].append(tuple(low <= true[name] <= high for low, high in ends))
    return {name: tuple(np.mean(hits, axis=0)) for name, hits in held.items()}


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
