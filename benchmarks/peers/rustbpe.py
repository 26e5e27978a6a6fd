"""rustbpe: byte-level BPE in Rust."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import rustbpe

MARKS: dict[str, object] = {"eow": "absent"}


def learn(text: Path, size: int) -> Any:
    model = rustbpe.Tokenizer()
    with text.open(encoding="utf-8") as lines:
        model.train_from_iterator(lines, size, pattern=r"\S+")
    return model


def learned(model: Any) -> list[str]:
    return [token.decode("utf-8", "replace") for token, _ in model.get_mergeable_ranks()[256:]]


def load(vocabulary: Any, text: Path) -> Any:
    return learn(text, len(vocabulary.tokens))


def segment(model: Any, words: Sequence[str]) -> list[list[int]]:
    return [model.encode(word) for word in words]


segment_learned = segment
