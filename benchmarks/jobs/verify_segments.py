"""Compare how a peer and tokbench cut words with a vocabulary that tokbench learned."""

from pathlib import Path
from typing import Any

from peers import peer, tokbench
from words import counted

from tokbench.api import Vocabulary


def run(name: str, text: str, vocabulary: str) -> dict[str, Any]:
    """Cut all words by one program and by tokbench, and compare."""
    module, words = peer(name), counted(Path(text))
    loaded = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    theirs = map(len, module.segment(module.load(loaded, Path(text)), list(words)))
    ours = tokbench.lengths(loaded, list(words))
    differ = [word for word, a, b in zip(words, theirs, ours, strict=True) if a != b]
    return {
        "words": len(words),
        "differ": len(differ),
        "differ-letters-only": sum(map(str.isalpha, differ)),
    }
