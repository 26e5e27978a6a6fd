"""tiktoken: byte-level BPE in Rust; it learns nothing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tiktoken
from byte_ranks import byte_tokens


def load(vocabulary: Any, text: Path) -> tiktoken.Encoding:
    ranks = {token: rank for rank, token in enumerate(byte_tokens(vocabulary))}
    return tiktoken.Encoding("tokbench", pat_str=r"\S+", mergeable_ranks=ranks, special_tokens={})


def segment(model: tiktoken.Encoding, words: Sequence[str]) -> list[list[int]]:
    return [model.encode_ordinary(word) for word in words]
