"""Morfessor Baseline: morphs by minimum description length, learned by the reference program."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_morfessor.learner import Morfessor
from tokbench_morfessor.segmenter import MorfessorSegmenter


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `morfessor`."""
    return {"morfessor": Morfessor}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `morfessor`."""
    return {"morfessor": MorfessorSegmenter}
