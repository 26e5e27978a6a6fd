"""Byte-level BPE as GPT-2's, the splits of GPT models, and two baselines: bytes, code points.

What other plugins may build on: the split patterns (`patterns`) and the order of GPT-2's bytes
(`alphabet`).
"""

from collections.abc import Mapping

from tokbench.api import Learner, Segmenter, Splitter, hookimpl
from tokbench_bytes.baselines import USE, CodePoints, CodePointSegmenter, Utf8Bytes
from tokbench_bytes.learner import ByteBpe
from tokbench_bytes.segmenter import ByteBpeSegmenter
from tokbench_bytes.splitters import Cl100kSplitter, Gpt2Splitter, O200kSplitter


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learners `byte-bpe`, `utf8-bytes` and `code-points`."""
    return {"byte-bpe": ByteBpe, "utf8-bytes": Utf8Bytes, USE: CodePoints}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenters `byte-bpe` and `code-points`."""
    return {"byte-bpe": ByteBpeSegmenter, USE: CodePointSegmenter}


@hookimpl
def tokbench_splitters() -> Mapping[str, type[Splitter]]:
    """Offer the splitters `gpt2`, `cl100k` and `o200k`."""
    return {"gpt2": Gpt2Splitter, "cl100k": Cl100kSplitter, "o200k": O200kSplitter}
