"""OpenAI's byte-level BPE: rank files from disk, cut by tiktoken itself."""

from collections.abc import Mapping
from typing import ClassVar

from tokbench.api import Component, hookimpl


class NeedsTiktoken(Component):
    """A component that needs the library: all of this package do."""

    requires: ClassVar[str | None] = "tokbench[tiktoken]"
    # Before 0.13 the time for one long run of letters grew with the square of its length.
    requires_version: ClassVar[Mapping[str, str]] = {"tiktoken": "0.13"}


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer `tiktoken` for any rank file, and those of OpenAI by name."""
    return {
        "cl100k": "tokbench_tiktoken.learners:Cl100k",
        "o200k": "tokbench_tiktoken.learners:O200k",
        "p50k": "tokbench_tiktoken.learners:P50k",
        "r50k": "tokbench_tiktoken.learners:R50k",
        "tiktoken": "tokbench_tiktoken.learners:Tiktoken",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenter `tiktoken`."""
    return {"tiktoken": "tokbench_tiktoken.segmenter:TiktokenSegmenter"}
