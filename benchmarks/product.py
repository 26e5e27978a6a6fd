"""tokbench's own way to scores: a run of one BPE system on its own text, or counted words alone."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tokbench.runner.bench import Bench
from tokbench.runner.failures import Failures
from tokbench.runner.scoring import score
from tokbench.runner.serving import run_system
from tokbench.runner.timeline import Replay
from tokbench.runner.work import Work
from tokbench_bpe.segmenters import BpeRank

from tokbench import plugins
from tokbench.api import Size, Vocabulary, Words
from tokbench.config import Experiment, NamedMetric, load_experiment
from tokbench.corpora.load import Corpora, TestCorpus, load_corpora
from tokbench.metrics.length import Fertility
from tokbench.metrics.oov import KeptWholeRunning
from tokbench.plugins import Registry

Scores = Mapping[int, Mapping[str, float]]


@dataclass(frozen=True)
class Prepared:
    """What a run has before it learns: the config, the texts, and what they are scored with."""

    experiment: Experiment
    corpora: Corpora
    registry: Registry
    benches: tuple[Bench, ...]

    @classmethod
    def of(cls, text: str, sizes: Sequence[int], metrics: Sequence[str], every: bool) -> "Prepared":
        """Read a config that scores some sizes or `every` one, and the text; one resample."""
        registry = plugins.load()
        with TemporaryDirectory() as folder:
            path = Path(folder) / "product.yaml"
            path.write_text(json.dumps(config(text, sizes, metrics, every)), encoding="utf-8")
            found = load_experiment(path, registry)
        corpora = load_corpora(found.train, found.tests, found.lists, found.gold, found.seed)
        benches = (Bench.prepare(test, found.resamples, found.seed) for test in corpora.tests)
        return cls(found, corpora, registry, tuple(benches))

    def run(self) -> Work:
        """Learn, replay and score; raises RuntimeError where anything failed."""
        work = Work(self.experiment, self.corpora, self.registry, lambda _: None, self.benches)
        for system in self.experiment.systems:
            run_system(system, work)
        if work.failures.failures:
            raise RuntimeError("; ".join(work.failures.failures))
        return work


def config(text: str, sizes: Sequence[int], metrics: Sequence[str], every: bool) -> dict[str, Any]:
    source = {"path": text, "words": "whitespace"}
    return {
        "corpora": {"train": source, "test": {"text": source}},
        "sizes": {"from": min(sizes), "to": max(sizes), "list": list(sizes), "curve": every},
        "systems": ["bpe"],
        "metrics": list(metrics),
        "resamples": 1,
    }


def scores(work: Work) -> Scores:
    """Give the scores of the listed sizes on all words."""
    return {
        outcome.size.number: {
            metric: estimate.value
            for (metric, subset), estimate in outcome.estimates["text"].items()
            if subset == "all"
        }
        for outcome in work.outcomes
        if outcome.size is not None
    }


def curve_scores(work: Work, sizes: Sequence[int]) -> Scores:
    """Give the same, read off the curves."""
    curves = [curve for curve in work.curves if curve.subset == "all"]
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
    """Give tokens a word, and the share kept whole, of counted words at some sizes."""
    number, count = np.arange(len(counts), dtype=np.uint32), np.fromiter(counts.values(), np.int64)
    words = Words(
        text=tuple(counts),
        order=np.repeat(number, count),
        lines=np.array([0, count.sum()]),
        documents=np.zeros(1, dtype=np.int32),
        train_count=count,
    )
    bench = Bench.prepare(TestCorpus("text", "text", words, "", "whitespace"), 1, 0)
    cuts = {size: vocabulary.cut(Size(total=size)) for size in sizes}
    segmenter, failures = BpeRank(), Failures()
    replay = Replay(vocabulary, segmenter, segmenter.prepare(vocabulary))
    whole = replay(words, min(len(cut.learned) for cut in cuts.values()))
    assert whole is not None
    metrics = [NamedMetric("fertility", Fertility()), NamedMetric("whole", KeptWholeRunning())]
    found = {}
    for size, cut in cuts.items():
        estimates = score(bench, metrics, whole.at(len(cut.learned), cut), failures)
        found[size] = estimates["fertility", "all"].value, estimates["whole", "all"].value
    return found
