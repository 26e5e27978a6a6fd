"""subword-nmt: byte pair encoding learned and applied by the program of its authors."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `subword-nmt`."""
    return {"subword-nmt": "tokbench_subword_nmt.learner:SubwordNmt"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `subword-nmt`."""
    return {"subword-nmt": "tokbench_subword_nmt.segmenter:SubwordNmtSegmenter"}
