"""The Hugging Face tokenizers library: its trainers, and ready-made tokenizers from files."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_hf.learners import HfBpe, HfByteBpe, HfUnigram, HfWordPiece
from tokbench_hf.ready import Hf
from tokbench_hf.segmenters import HfLines, HfWords


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the library's four trainers, and `hf` for tokenizers that are ready-made."""
    return {
        "hf": Hf,
        "hf-bpe": HfBpe,
        "hf-byte-bpe": HfByteBpe,
        "hf-unigram": HfUnigram,
        "hf-wordpiece": HfWordPiece,
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenters `hf`, for whole lines, and `hf-words`, for words as they are learned."""
    return {"hf": HfLines, "hf-words": HfWords}
