"""subword-nmt: byte pair encoding learned and applied by the program of its authors."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_subword_nmt.learner import SubwordNmt
from tokbench_subword_nmt.segmenter import SubwordNmtSegmenter


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `subword-nmt`."""
    return {"subword-nmt": SubwordNmt}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `subword-nmt`."""
    return {"subword-nmt": SubwordNmtSegmenter}
