"""Learn and score several sizes in one process: tokens per word, and words kept whole.

tokbench learns once, replays each distinct word once, and scores as a run does. Hugging Face's
library can learn only one size at a time, so it learns from the text for each size. Then it encodes
either the distinct words or, as most programs do, the text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from words import counted

Scores = Mapping[int, Mapping[str, float]]


def run(name: str, text: str, sizes: Sequence[int], over: str = "words") -> dict[str, Any]:
    """Sweep `over` distinct "words" or over the "text"."""
    sweep = {"tokbench": tokbench, "tokenizers": hugging_face}[name.partition(" ")[0]]
    prepare(name)
    begin = perf_counter()
    scores = sweep(Path(text), sizes, over)
    return {"seconds": perf_counter() - begin, "scores": scores}


def prepare(name: str) -> None:
    """Import all modules that the work needs, since imports are no part of the work."""
    if name.startswith("tokbench"):
        import product  # noqa: F401 - only its time counts
        from peers import tokbench  # noqa: F401 - only its time counts
    else:
        from peers import tokenizers  # noqa: F401 - only its time counts


def tokbench(text: Path, sizes: Sequence[int], over: str) -> Scores:
    """Learn once and score all sizes by tokbench."""
    from peers import tokbench as ours
    from product import score_sizes
    from tokbench_bpe.learner import Bpe

    from tokbench.api import Size

    words = ours.count(text)
    vocabulary = Bpe.configure().learn(words, Size(total=max(sizes)))
    return score_sizes(words, vocabulary, sizes)


def hugging_face(text: Path, sizes: Sequence[int], over: str) -> Scores:
    """Learn and score each size by Hugging Face."""
    return {size: score(text, size, over) for size in sizes}


def score(text: Path, size: int, over: str) -> Mapping[str, float]:
    """Return tokens per word at one size, and the share of words kept whole of distinct words."""
    from peers import tokenizers

    model = tokenizers.learn(text, size)
    if over == "text":
        lines = text.read_text(encoding="utf-8").splitlines()
        encoded = model.encode_batch_fast(lines)
        return {"fertility": sum(map(len, encoded)) / sum(len(line.split()) for line in lines)}
    words = counted(text)
    lengths = [*map(len, tokenizers.segment(model, list(words)))]
    tokens = sum(length * count for length, count in zip(lengths, words.values(), strict=True))
    kept_whole = sum(
        count for length, count in zip(lengths, words.values(), strict=True) if length == 1
    )
    return {"fertility": tokens / words.total(), "kept-whole": kept_whole / words.total()}
