"""ffbpe: byte-level BPE in Rust."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ffbpe

MARKS: dict[str, object] = {"eow": "absent"}
PATTERN = r"\S+"


def learn(text: Path, size: int) -> Any:
    counter = ffbpe.PreTokenizer([], pat_str=PATTERN).word_counter()
    with text.open(encoding="utf-8") as lines:
        counter.add_source(lines)
    trainer = ffbpe.BpeTrainer([])
    trainer.add_word_counter(counter)
    trainer.train(size)
    return trainer.validate_model()


def learned(model: Any) -> list[str]:
    by_id = sorted(model.vocab.items(), key=lambda item: item[1])
    return [token.decode("utf-8", "replace") for token, _ in by_id[256:]]


def load(vocabulary: Any, text: Path) -> Any:
    return learn(text, len(vocabulary.tokens)).encoder(pat_str=PATTERN)


def segment(model: Any, words: Sequence[str]) -> Any:
    return model.encode_words(words)


def segment_learned(model: Any, words: Sequence[str]) -> Any:
    """Cut words with what `learn` returned."""
    return segment(model.encoder(pat_str=PATTERN), words)
