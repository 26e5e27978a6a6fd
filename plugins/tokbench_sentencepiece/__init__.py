"""SentencePiece itself: its two trainers, its model files, and its segmentation of whole lines."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench.api import Component, hookimpl


class NeedsSentencePiece(Component):
    """A component that needs the library: all of this package do."""

    requires: ClassVar[str | None] = "tokbench[sentencepiece]"
    # The first to give the offsets of a whole batch of lines in bytes.
    requires_version: ClassVar[Mapping[str, str]] = {"sentencepiece": "0.2.3"}


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer both trainers, and the ready-made tokenizer `sentencepiece`."""
    return {
        "sentencepiece": "tokbench_sentencepiece.learners:SentencePiece",
        "sentencepiece-bpe": "tokbench_sentencepiece.learners:SentencePieceBpe",
        "sentencepiece-unigram": "tokbench_sentencepiece.learners:SentencePieceUnigram",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `sentencepiece`."""
    return {"sentencepiece": "tokbench_sentencepiece.segmenter:SentencePieceSegmenter"}
