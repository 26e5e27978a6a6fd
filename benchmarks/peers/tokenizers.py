"""Hugging Face tokenizers: BPE over characters with a fused end-of-word mark, in Rust."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

MARKS: dict[str, object] = {}
EOW = "</w>"


def learn(text: Path, size: int) -> Tokenizer:
    tokenizer = with_split(models.BPE(end_of_word_suffix=EOW))
    trainer = trainers.BpeTrainer(vocab_size=size, end_of_word_suffix=EOW, show_progress=False)
    tokenizer.train([str(text)], trainer)
    return tokenizer


def with_split(model: Any) -> Tokenizer:
    """Put a model behind the split at whitespace."""
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def learned(model: Tokenizer) -> list[str]:
    return ["".join(parts) for parts in json.loads(model.to_str())["model"]["merges"]]


def load(vocabulary: Any, text: Path) -> Tokenizer:
    shown = vocabulary.marks.show
    ids = {shown(token): i for i, token in enumerate(vocabulary.tokens)}
    merges = [tuple(map(shown, item.parts)) for item in vocabulary.learned]
    return with_split(models.BPE(vocab=ids, merges=merges, end_of_word_suffix=EOW))


def segment(model: Tokenizer, words: Sequence[str]) -> list[Any]:
    # Several times as fast for a word as the whole pipeline around the model.
    tokenize = model.model.tokenize
    return [tokenize(word) for word in words]


segment_learned = segment
