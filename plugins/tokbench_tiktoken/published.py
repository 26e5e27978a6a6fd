"""The split patterns and special tokens that OpenAI published beside its rank files.

Source: `tiktoken_ext/openai_public.py` of tiktoken 0.14. A rank file itself holds neither.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tokbench_bytes.patterns import CL100K, GPT2, O200K

PatternName = Literal["r50k", "p50k", "cl100k", "o200k"]

PATTERNS: Mapping[PatternName, str] = {
    "r50k": GPT2,
    "p50k": GPT2,
    "cl100k": CL100K,
    "o200k": O200K,
}


@dataclass(frozen=True)
class Published:
    """A published rank file: the name of its pattern, and its special tokens with their ids."""

    pattern: PatternName
    special: Mapping[str, int]


FILES: Mapping[str, Published] = {
    "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930": Published(
        "r50k", {"<|endoftext|>": 50256}
    ),
    "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069": Published(
        "p50k", {"<|endoftext|>": 50256}
    ),
    "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7": Published(
        "cl100k",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d": Published(
        "o200k", {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}
    ),
}
"""The published rank files by their SHA-256."""
