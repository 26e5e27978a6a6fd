"""The Hugging Face tokenizers library: its trainers, and ready-made tokenizers from files."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the library's four trainers, `hf` for ready-made tokenizers, and two of these by name.

    These are `gpt2` and `bert-base-uncased`.
    """
    return {
        "bert-base-uncased": "tokbench_hf.published:BertBaseUncased",
        "gpt2": "tokbench_hf.published:Gpt2",
        "hf": "tokbench_hf.ready:Hf",
        "hf-bpe": "tokbench_hf.learners:HfBpe",
        "hf-byte-bpe": "tokbench_hf.learners:HfByteBpe",
        "hf-unigram": "tokbench_hf.learners:HfUnigram",
        "hf-wordpiece": "tokbench_hf.learners:HfWordPiece",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenters `hf`, for whole lines, and `hf-words`, for words as they are learned."""
    return {"hf": "tokbench_hf.segmenters:HfLines", "hf-words": "tokbench_hf.segmenters:HfWords"}
