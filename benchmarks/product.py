"""tokbench's own way to scores: a run of one BPE system on its own text, or counted words alone."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tokbench_bpe.segmenters import BpeRank
from tokbench_metrics.length import Fertility
from tokbench_metrics.oov import KeptWholeRunning

from tokbench import plugins
from tokbench.api import Size, Vocabulary
from tokbench.api.arrays import Words
from tokbench.config import Experiment, load_experiment
from tokbench.corpora.load import Corpora, TestCorpus, load_corpora
from tokbench.corpora.words import TrainingText, training_words
from tokbench.cut import BoundSegmenter, replay
from tokbench.runner.cache import Cache
from tokbench.runner.cached_work import CachedWork
from tokbench.runner.one_system import SystemRun
from tokbench.runner.results import SystemResult
from tokbench.score.estimate import score
from tokbench.score.test_set import TestSet

Scores = Mapping[int, Mapping[str, float]]


@dataclass(frozen=True)
class Prepared:
    """The inputs of a run before it learns: plugins, the config, the texts, and the test sets."""

    registry: plugins.Registry
    experiment: Experiment
    corpora: Corpora
    tests: tuple[TestSet, ...]

    @classmethod
    def of(cls, text: str, sizes: Sequence[int], metrics: Sequence[str], every: bool) -> "Prepared":
        """Read a config that scores some sizes or `every` one, and the text; one resample."""
        registry = plugins.load()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "product.yaml"
            path.write_text(json.dumps(config(text, sizes, metrics, every)), encoding="utf-8")
            found = load_experiment(path, registry)
        corpora = load_corpora(found.train, found.tests, found.lists, found.gold, found.seed)
        tests = (TestSet.prepare(test, found.resamples, found.seed) for test in corpora.tests)
        return cls(registry, found, corpora, tuple(tests))

    def run(self) -> SystemResult:
        """Learn, replay and score; raises RuntimeError where anything failed."""
        (system,) = self.experiment.systems
        train = self.corpora.train
        text = TrainingText(training_words(train.words, system.splitter), train.lines)
        metrics = {named.name: named.metric for named in self.experiment.metrics}
        work = CachedWork(Cache(), self.experiment, self.corpora, self.registry)
        run = SystemRun(
            system, text, work, self.tests, metrics, {}, self.registry, lambda *told: None
        )
        result = run.result()
        if failed := [issue.text for issue in result.issues if issue.failed]:
            raise RuntimeError("; ".join(failed))
        return result


def config(text: str, sizes: Sequence[int], metrics: Sequence[str], every: bool) -> dict[str, Any]:
    source = {"path": text, "words": "whitespace"}
    return {
        "corpora": {"train": source, "test": {"text": source}},
        "sizes": {"from": min(sizes), "to": max(sizes), "list": list(sizes), "curve": every},
        "systems": ["bpe"],
        "metrics": list(metrics),
        "resamples": 1,
    }


def scores(result: SystemResult) -> Scores:
    """Return the scores of the listed sizes on all words."""
    return {
        outcome.size.number: {
            metric: estimate.value
            for (metric, subset), estimate in outcome.estimates["text"].items()
            if subset == "all"
        }
        for outcome in result.outcomes.values()
        if outcome.size is not None
    }


def curve_scores(result: SystemResult, sizes: Sequence[int]) -> Scores:
    """Return the same, read off the curves."""
    curves = [curve for curve in result.curves if curve.subset == "all"]
    return {
        size: {
            curve.metric: float(curve.values[curve.points.asked.searchsorted(size)])
            for curve in curves
        }
        for size in sizes
    }


def score_sizes(
    counts: Mapping[str, int], vocabulary: Vocabulary, sizes: Sequence[int]
) -> Mapping[int, tuple[float, float]]:
    """Return tokens per word, and the share kept whole, of counted words at some sizes."""
    number, count = np.arange(len(counts), dtype=np.uint32), np.fromiter(counts.values(), np.int64)
    words = Words(
        text=tuple(counts),
        order=np.repeat(number, count),
        lines=np.array([0, count.sum()]),
        documents=np.zeros(1, dtype=np.int32),
        train_count=count,
    )
    test = TestSet.prepare(TestCorpus("text", "text", words, "", "whitespace"), 1, 0)
    cuts = {size: vocabulary.cut(Size(total=size)) for size in sizes}
    wanted = np.unique([len(cut.learned) for cut in cuts.values()])
    whole = replay(BoundSegmenter(BpeRank(), vocabulary), words, wanted, every=True)
    assert whole is not None
    metrics = {"fertility": Fertility(), "whole": KeptWholeRunning()}
    found = {}
    for size, cut in cuts.items():
        estimates = score(test, metrics, {"text": whole.at(len(cut.learned), cut)}).estimates
        found[size] = estimates["fertility", "all"].value, estimates["whole", "all"].value
    return found
