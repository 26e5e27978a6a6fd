"""SentencePiece BPE, two threads, its normalisation and its splits by script and digit off."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sentencepiece

MARKS: dict[str, object] = {"eow": "absent", "bow": {"kind": "separate", "text": "▁"}}
LONGEST_LINE = 1 << 20


def learn(text: Path, size: int) -> Any:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        input=str(text),
        model_writer=model,
        model_type="bpe",
        vocab_size=size,
        hard_vocab_limit=False,
        num_threads=2,
        character_coverage=1.0,
        normalization_rule_name="identity",
        max_sentence_length=LONGEST_LINE,
        split_by_unicode_script=False,
        split_by_number=False,
        train_extremely_large_corpus=True,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def learned(model: Any) -> list[str]:
    pieces = [model.id_to_piece(i) for i in range(model.vocab_size()) if not is_special(model, i)]
    return [piece for piece in pieces if len(piece) > 1]


def is_special(model: Any, piece: int) -> bool:
    return bool(model.is_control(piece) or model.is_unknown(piece))


def load(vocabulary: Any, text: Path) -> Any:
    return learn(text, len(vocabulary.tokens))


def segment(model: Any, words: Sequence[str]) -> Any:
    return model.encode(words)


segment_learned = segment
