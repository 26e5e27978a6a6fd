"""Score a BPE system as tokbench does: in a run on its own text, or from counted words alone."""

import json
from collections.abc import Callable, Mapping, Sequence
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
from tokbench.config import load_experiment
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.words import TrainingText, training_words
from tokbench.cut import BoundSegmenter, replay
from tokbench.runner.cache import Cache
from tokbench.runner.cached_work import CachedWork
from tokbench.runner.one_system import SystemRun
from tokbench.runner.results import SystemResult
from tokbench.score.estimate import score
from tokbench.score.test_set import TestSet

Scores = Mapping[int, Mapping[str, float]]


def prepare(
    text: str, sizes: Sequence[int], metrics: Sequence[str], every: bool
) -> Callable[[], SystemResult]:
    """Read a config that scores some sizes or `every` one, and the text; return the run.

    The run raises RuntimeError if anything failed.
    """
    registry = plugins.load()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "product.yaml"
        path.write_text(json.dumps(config(text, sizes, metrics, every)), encoding="utf-8")
        experiment = load_experiment(path, registry)
    corpora = experiment.load_corpora()
    tests = [TestSet.prepare(test, experiment.resamples, experiment.seed) for test in corpora.tests]
    (system,) = experiment.systems

    def run() -> SystemResult:
        train = corpora.train
        training = TrainingText(training_words(train.words, system.splitter), train.lines)
        components = {named.name: named.metric for named in experiment.metrics}
        work = CachedWork(Cache(), experiment, corpora, registry)
        result = SystemRun(
            system, training, work, tests, components, {}, registry, lambda *_: None
        ).result()
        if failed := [issue.text for issue in result.issues if issue.failed]:
            raise RuntimeError("; ".join(failed))
        return result

    return run


def config(text: str, sizes: Sequence[int], metrics: Sequence[str], every: bool) -> dict[str, Any]:
    source = {"path": text, "words": "whitespace"}
    return {
        "corpora": {"train": source, "test": {"text": source}},
        "sizes": {"from": min(sizes), "to": max(sizes), "list": list(sizes), "curve": every},
        "systems": ["bpe"],
        "metrics": list(metrics),
        "bands": [],
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
    """Return the scores of the listed sizes, taken from the curves."""
    curves = [curve for curve in result.curves if curve.subset == "all"]
    return {
        size: {
            curve.metric: float(curve.values[curve.points.asked.searchsorted(size)])
            for curve in curves
        }
        for size in sizes
    }


def score_sizes(counts: Mapping[str, int], vocabulary: Vocabulary, sizes: Sequence[int]) -> Scores:
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
    learned = np.unique([len(cut.learned) for cut in cuts.values()])
    states = replay(BoundSegmenter(BpeRank(), vocabulary), words, learned, every=True)
    assert states is not None
    metrics = {"fertility": Fertility(), "kept-whole": KeptWholeRunning()}
    scores = {}
    for size, cut in cuts.items():
        estimates = score(test, metrics, {"text": states.at(len(cut.learned), cut)}).estimates
        scores[size] = {metric: estimates[metric, "all"].value for metric in metrics}
    return scores
