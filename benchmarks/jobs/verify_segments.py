"""Compare how a peer cuts words with a vocabulary loaded from tokbench, and how tokbench does."""

from pathlib import Path
from typing import Any

from peers import peer, tokbench
from words import counted

from tokbench.api import Vocabulary


def run(name: str, text: str, vocabulary: str) -> dict[str, Any]:
    """Cut all words by one program and by tokbench, and compare."""
    module, words = peer(name), counted(Path(text))
    loaded = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    theirs = module.lengths(module.load(loaded, Path(text)), list(words))
    ours = tokbench.lengths(tokbench.load(loaded, Path(text)), list(words))
    differ = [word for word, a, b in zip(words, theirs, ours, strict=True) if a != b]
    letters = [word for word in differ if word.isalpha()]
    return {
        "words": len(words),
        "differ": len(differ),
        "differ-letters-only": len(letters),
        "example": next(iter(letters or differ), None),
    }
