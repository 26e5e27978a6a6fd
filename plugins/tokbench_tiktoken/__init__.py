"""OpenAI's byte-level BPE: rank files from disk, cut by tiktoken itself."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the ready-made tokenizer `tiktoken`."""
    return {"tiktoken": "tokbench_tiktoken.learner:Tiktoken"}


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `tiktoken`."""
    return {"tiktoken": "tokbench_tiktoken.segmenter:TiktokenSegmenter"}
