"""WordPiece: pairs merged by their score, and words cut by BERT's longest match."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learner `wordpiece`."""
    return {"wordpiece": "tokbench_wordpiece.learner:WordPiece"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `wordpiece`."""
    return {"wordpiece": "tokbench_wordpiece.segmenter:WordPieceMatch"}
