"""gigatoken: byte-level BPE in Rust with the fixed split of GPT-2."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import gigatoken
from byte_ranks import rank_file, spelled

MARKS: dict[str, object] = {"eow": "absent", "bow": {"kind": "separate", "text": " "}}
LOADS: dict[str, object] = {"eow": "absent"}
SPLIT = "its own (GPT-2's), which cuts punctuation off"


def learn(text: Path, size: int) -> Any:
    return gigatoken.train_bpe(text, size, [])


def learned(model: Any) -> list[str]:
    return [(left + right).decode("utf-8", "replace") for left, right in model[1]]


def load(vocabulary: Any, text: Path) -> Any:
    with NamedTemporaryFile(suffix=".tiktoken") as file:
        file.write(rank_file(vocabulary))
        file.flush()
        return gigatoken.Tokenizer.from_tiktoken(file.name, pretokenizer="gpt2")


def segment(model: Any, words: Sequence[str]) -> Any:
    return model.encode_batch(words)


def lengths(model: Any, words: Sequence[str]) -> list[int]:
    return [len(ids) for ids in segment(model, words).tolist()]


def learned_lengths(model: Any, words: Sequence[str]) -> list[int]:
    """Cut words with the vocabulary that was learned, each after the blank that begins it."""
    with NamedTemporaryFile(suffix=".tiktoken") as file:
        file.write(spelled(token for _, token in sorted(model[0].items())))
        file.flush()
        made = gigatoken.Tokenizer.from_tiktoken(file.name, pretokenizer="gpt2")
    return lengths(made, [f" {word}" for word in words])
