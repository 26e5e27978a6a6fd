"""Morfessor Baseline: morphs by minimum description length, learned by the reference program."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `morfessor`."""
    return {"morfessor": "tokbench_morfessor.learner:Morfessor"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `morfessor`."""
    return {"morfessor": "tokbench_morfessor.segmenter:MorfessorSegmenter"}
