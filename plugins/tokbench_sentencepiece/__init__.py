"""SentencePiece itself: its two trainers, its model files, and its segmentation of whole lines."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer both trainers, and the ready-made tokenizer `sentencepiece`."""
    return {
        "sentencepiece": "tokbench_sentencepiece.ready:SentencePiece",
        "sentencepiece-bpe": "tokbench_sentencepiece.learners:SentencePieceBpe",
        "sentencepiece-unigram": "tokbench_sentencepiece.learners:SentencePieceUnigram",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `sentencepiece`."""
    return {"sentencepiece": "tokbench_sentencepiece.segmenter:SentencePieceSegmenter"}
