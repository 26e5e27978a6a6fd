"""The unigram language model: tokens with probabilities, and the most probable segmentation."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_unigram.learner import Unigram
from tokbench_unigram.segmenter import UnigramBest


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `unigram`."""
    return {"unigram": Unigram}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `unigram`."""
    return {"unigram": UnigramBest}
