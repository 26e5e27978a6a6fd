"""The unigram language model: tokens with probabilities, and the most probable segmentation."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `unigram`."""
    return {"unigram": "tokbench_unigram.learner:Unigram"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `unigram`."""
    return {"unigram": "tokbench_unigram.segmenter:UnigramBest"}
