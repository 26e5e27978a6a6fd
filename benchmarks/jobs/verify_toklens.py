"""Compare TokLens's fertility and STRR with tokbench's on the same tokens.

TokLens encodes each running word alone by a Hugging Face tokenizer, which here has the merges of a
tokbench vocabulary. STRR is the share of words kept whole.
"""

from pathlib import Path
from typing import Any

from peers import tokbench, tokenizers
from toklens.metrics import compute_fertility, compute_strr

from tokbench.api import Vocabulary

WORDS = 20_000


def run(name: str, text: str, vocabulary: str) -> dict[str, Any]:
    """Score by TokLens and by tokbench, and compare."""
    running = Path(text).read_text(encoding="utf-8").split()[:WORDS]
    loaded = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    lengths = tokbench.lengths(loaded, running)
    model, sample = tokenizers.load(loaded, Path(text)), " ".join(running)
    return {
        "words": len(running),
        "fertility": [compute_fertility(model, sample), sum(lengths) / len(lengths)],
        "kept-whole": [compute_strr(model, sample), lengths.count(1) / len(lengths)],
    }
