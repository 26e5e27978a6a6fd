"""WordPiece: pairs merged by their score, and words cut by BERT's longest match."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_wordpiece.learner import WordPiece
from tokbench_wordpiece.segmenter import WordPieceMatch


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `wordpiece`."""
    return {"wordpiece": WordPiece}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `wordpiece`."""
    return {"wordpiece": WordPieceMatch}
