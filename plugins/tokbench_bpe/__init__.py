"""Byte pair encoding in its textbook variants, and longest match over any vocabulary."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_bpe.learner import Bpe
from tokbench_bpe.segmenters import BpeLearnedOrder, BpeRank, LongestMatch


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `bpe`."""
    return {"bpe": Bpe}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenters `bpe`, `bpe-learned-order` and `longest-match`."""
    return {
        "bpe": BpeRank,
        "bpe-learned-order": BpeLearnedOrder,
        "longest-match": LongestMatch,
    }
