"""OpenAI's byte-level BPE: rank files from disk, cut by tiktoken itself."""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, hookimpl
from tokbench_tiktoken.learner import Tiktoken
from tokbench_tiktoken.segmenter import TiktokenSegmenter


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the ready-made tokenizer `tiktoken`."""
    return {"tiktoken": Tiktoken}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `tiktoken`."""
    return {"tiktoken": TiktokenSegmenter}
