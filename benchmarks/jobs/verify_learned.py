"""Compare what a peer learned with what tokbench learns where both write word edges alike.

Equal pairs are merged in different order by different programs, so lists of tokens may differ and
still be as good: then the tokens that the text takes tell, which must agree closely.
"""

from pathlib import Path
from typing import Any

from peers import peer, tokbench
from tokbench_bpe.learner import Bpe
from words import counted

from tokbench.api import Size


def run(name: str, text: str, size: int) -> dict[str, Any]:
    """Learn by one program and by tokbench, and compare."""
    module, words = peer(name), counted(Path(text))
    theirs = module.learn(Path(text), size)
    tokens = module.learned(theirs)
    learner = Bpe.configure(**module.MARKS)
    ours = learner.learn(words, Size(learned=len(tokens)))
    own = tokbench.learned(ours)
    return {
        "learned": len(tokens),
        "equal": next(
            (i for i, (a, b) in enumerate(zip(tokens, own, strict=False)) if a != b), len(own)
        ),
        "shared": len(set(tokens) & set(own)) / max(len(set(tokens)), 1),
        "tokens": weighed(words, module.learned_lengths(theirs, list(words))),
        "tokens-tokbench": weighed(words, tokbench.learned_lengths(ours, list(words))),
    }


def weighed(words: Any, lengths: list[int]) -> int:
    """Return the tokens of the running words."""
    return sum(length * count for length, count in zip(lengths, words.values(), strict=True))
