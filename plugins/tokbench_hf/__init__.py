"""The Hugging Face tokenizers library: its trainers, and ready-made tokenizers from files."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench.api import Component, hookimpl


class NeedsTokenizers(Component):
    """A component that needs the library: all of this package do."""

    requires: ClassVar[str | None] = "tokbench[hf]"
    requires_version: ClassVar[Mapping[str, str]] = {"tokenizers": "0.22"}


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the library's four trainers, `hf` for ready-made tokenizers, and two of these by name.

    These are `gpt2` and `bert-base-uncased`.
    """
    return {
        "bert-base-uncased": "tokbench_hf.ready:BertBaseUncased",
        "gpt2": "tokbench_hf.ready:Gpt2",
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
