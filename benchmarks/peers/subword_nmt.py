"""subword-nmt: the reference BPE, in Python."""

import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from subword_nmt.apply_bpe import BPE
from subword_nmt.learn_bpe import learn_bpe

MARKS: dict[str, object] = {}


def learn(text: Path, size: int) -> str:
    """Return the codes; the size counts the letters of the text only if `total_symbols` is set."""
    codes = io.StringIO()
    # Its progress bar is no part of the work.
    with text.open(encoding="utf-8") as lines, redirect_stderr(io.StringIO()):
        learn_bpe(lines, codes, size, total_symbols=True)
    return codes.getvalue()


def learned(model: str) -> list[str]:
    return [line.replace(" ", "") for line in model.splitlines()[1:]]


def load(vocabulary: Any, text: Path) -> BPE:
    shown = vocabulary.marks.show
    merges = (" ".join(map(shown, item.parts)) for item in vocabulary.learned)
    return BPE(io.StringIO("\n".join(["#version: 0.2", *merges]) + "\n"))


def segment(model: BPE, words: Sequence[str]) -> Any:
    return [model.segment_tokens([word]) for word in words]


def segment_learned(model: str, words: Sequence[str]) -> Any:
    """Cut words with what `learn` returned."""
    return segment(BPE(io.StringIO(model)), words)
