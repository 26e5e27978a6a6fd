"""gigatoken: byte-level BPE in Rust with the fixed split of GPT-2."""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import gigatoken
from byte_ranks import byte_tokens

MARKS: dict[str, object] = {"eow": "absent", "bow": {"kind": "separate", "text": " "}}


def learn(text: Path, size: int) -> Any:
    return gigatoken.train_bpe(text, size, [])


def learned(model: Any) -> list[str]:
    return [(left + right).decode("utf-8", "replace") for left, right in model[1]]


def load(vocabulary: Any, text: Path) -> Any:
    return _tokenizer(byte_tokens(vocabulary))


def _tokenizer(tokens: Iterable[bytes]) -> Any:
    """Build a tokenizer from tokens in the order of their ranks."""
    with NamedTemporaryFile(suffix=".tiktoken") as file:
        file.writelines(b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))
        file.flush()
        return gigatoken.Tokenizer.from_tiktoken(file.name, pretokenizer="gpt2")


def segment(model: Any, words: Sequence[str]) -> Any:
    return model.encode_batch(words)


def segment_learned(model: Any, words: Sequence[str]) -> Any:
    """Cut words after the blank that begins each in the learned vocabulary."""
    tokens = (token for _, token in sorted(model[0].items()))
    return segment(_tokenizer(tokens), [f" {word}" for word in words])
