"""The jobs of a run, done from a file of plain data, and their results written as plain data.

A program of its own: `python jobs_as_data.py FOLDER` reads `job.json` and `job.npz` there.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tokbench import plugins
from tokbench.api import Size, Vocabulary
from tokbench.api.component import Use
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.running import RunningText
from tokbench.corpora.words import TrainingText
from tokbench.cut import BoundSegmenter, replay, segment
from tokbench.run_folder.arrays import segmentation_arrays, segmentation_of, words_of
from tokbench.runner.learning import learn
from tokbench.score.estimate import score
from tokbench.score.test_set import TestSet


def do_jobs(job: Mapping[str, Any], arrays: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Learn, segment (alone and in context), replay and score; return JSON and arrays."""
    registry = plugins.load([Path(path) for path in job["plugins"]])

    def build(kind: Any, use: Mapping[str, Any]) -> Any:
        return registry.build(kind, Use.model_validate(use))

    text = TrainingText(job["training"], ())
    vocabulary = learn(build("learner", job["learner"]), text, Size(**job["size"]))
    words = words_of(arrays, "words")
    bound = BoundSegmenter(build("segmenter", job["segmenter"]), vocabulary)
    states = replay(bound, words, np.array([0, len(vocabulary.learned)]))
    assert states is not None
    lines = BoundSegmenter(
        build("segmenter", job["of-lines"]), Vocabulary.from_json(job["vocabulary"])
    )
    running = RunningText(
        tuple(job["lines"]),
        arrays["begins"],
        arrays["begins"] + words.bytes[words.order],
        arrays["size"],
    )
    found = {
        **segmentation_arrays("alone", segment(bound, words)),
        **segmentation_arrays("states", states, timeline=True),
        **segmentation_arrays("in-context", segment(lines, words, running)),
    }
    corpus = TestCorpus("held-out", "text", words, digest="", words_by="words")
    test = TestSet.prepare(corpus, job["resamples"], job["seed"])
    metrics = {name: build("metric", use) for name, use in job["metrics"].items()}
    cut = segmentation_of(found, "states", words, vocabulary)
    for (metric, subset), estimate in score(test, metrics, {"held-out": cut}).estimates.items():
        found[f"{metric}/{subset}/value"] = np.array([estimate.value])
        if estimate.samples is not None:
            found[f"{metric}/{subset}/samples"] = estimate.samples
    return vocabulary.to_json(), found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    given = np.load(folder / "job.npz", allow_pickle=False)
    learned, results = do_jobs(json.loads((folder / "job.json").read_text()), dict(given))
    (folder / "vocabulary.json").write_text(learned, encoding="utf-8")
    np.savez(folder / "results.npz", **results)
