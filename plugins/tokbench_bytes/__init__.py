"""Byte-level BPE as GPT-2's, the splits of GPT models, and two baselines: bytes, code points.

Other plugins may build on the split patterns (`patterns`) and the order of GPT-2's bytes
(`learner.alphabet`).
"""

from collections.abc import Mapping

from tokbench.api import hookimpl


@hookimpl
def tokbench_learners() -> Mapping[str, str]:
    """Offer the learners `byte-bpe`, `utf8-bytes` and `code-points`."""
    return {
        "byte-bpe": "tokbench_bytes.learner:ByteBpe",
        "utf8-bytes": "tokbench_bytes.baselines:Utf8Bytes",
        "code-points": "tokbench_bytes.baselines:CodePoints",
    }


@hookimpl
def tokbench_segmenters() -> Mapping[str, str]:
    """Offer the segmenters `byte-bpe` and `code-points`."""
    return {
        "byte-bpe": "tokbench_bytes.segmenter:ByteBpeSegmenter",
        "code-points": "tokbench_bytes.baselines:CodePointSegmenter",
    }


@hookimpl
def tokbench_splitters() -> Mapping[str, str]:
    """Offer the splitters `gpt2`, `cl100k` and `o200k`, and `regex`."""
    return {
        "regex": "tokbench_bytes.patterns:RegexSplitter",
        "gpt2": "tokbench_bytes.patterns:Gpt2Splitter",
        "cl100k": "tokbench_bytes.patterns:Cl100kSplitter",
        "o200k": "tokbench_bytes.patterns:O200kSplitter",
    }
