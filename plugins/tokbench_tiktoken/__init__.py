"""OpenAI's byte-level BPE: rank files from disk, cut by tiktoken itself."""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer `tiktoken` for any rank file, and those of OpenAI by name."""
    return {
        "cl100k": "tokbench_tiktoken.by_name:Cl100k",
        "o200k": "tokbench_tiktoken.by_name:O200k",
        "p50k": "tokbench_tiktoken.by_name:P50k",
        "r50k": "tokbench_tiktoken.by_name:R50k",
        "tiktoken": "tokbench_tiktoken.learner:Tiktoken",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `tiktoken`."""
    return {"tiktoken": "tokbench_tiktoken.segmenter:TiktokenSegmenter"}
