"""SentencePiece itself: its two trainers, its model files, and its segmentation of whole lines."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_sentencepiece.learners import SentencePieceBpe, SentencePieceUnigram
from tokbench_sentencepiece.ready import SentencePiece
from tokbench_sentencepiece.segmenter import SentencePieceSegmenter


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer both trainers, and the ready-made tokenizer `sentencepiece`."""
    return {
        "sentencepiece": SentencePiece,
        "sentencepiece-bpe": SentencePieceBpe,
        "sentencepiece-unigram": SentencePieceUnigram,
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `sentencepiece`."""
    return {"sentencepiece": SentencePieceSegmenter}
