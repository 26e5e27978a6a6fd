"""Compare what a peer learns with what tokbench learns when both write word edges alike.

Programs merge equally frequent pairs in different orders, so two lists of tokens may differ and be
equally good. Then the number of tokens in the text must agree closely.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from peers import peer, tokbench
from tokbench_bpe.learner import Bpe
from words import counted

from tokbench.api import Size


def run(name: str, text: str, size: int) -> dict[str, Any]:
    """Learn by one program and by tokbench, and compare."""
    module, words = peer(name), counted(Path(text))
    model = module.learn(Path(text), size)
    theirs = module.learned(model)
    vocabulary = Bpe.configure(**module.MARKS).learn(words, Size(learned=len(theirs)))
    ours = tokbench.learned(vocabulary)
    equal = [a == b for a, b in zip(theirs, ours, strict=False)]
    lengths = [*map(len, module.segment_learned(model, list(words)))]
    return {
        "learned": len(theirs),
        "equal": [*equal, False].index(False),
        "shared": len(set(theirs) & set(ours)) / max(len(set(theirs)), 1),
        "tokens": total(words, lengths),
        "tokens-tokbench": total(words, tokbench.lengths(vocabulary, list(words))),
    }


def total(words: Mapping[str, int], lengths: Sequence[int]) -> int:
    """Return the tokens of the running words."""
    return sum(length * count for length, count in zip(lengths, words.values(), strict=True))
