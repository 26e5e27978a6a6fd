"""Learn and score several sizes in one process: tokens per word, and words kept whole.

tokbench learns once, replays each distinct word once, and scores as a run does. Hugging Face, which
can learn only the size that it is asked for, learns from the text for each size and encodes either
its distinct words or, as most programs do, the text.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from words import counted

Scores = Mapping[int, Sequence[float | None]]


def run(name: str, text: str, sizes: Sequence[int], over: str = "words") -> dict[str, Any]:
    """Sweep `over` distinct "words" or over the "text"."""
    sweep = {"tokbench": tokbench, "tokenizers": hugging_face}[name.partition(" ")[0]]
    prepare(name)
    begin = perf_counter()
    scores = sweep(Path(text), sizes, over)
    return {"seconds": perf_counter() - begin, "scores": scores}


def prepare(name: str) -> None:
    """Import what the work needs, which is no part of the work; hence the unused names."""
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


def score(text: Path, size: int, over: str) -> tuple[float, float | None]:
    """Return tokens per word and the share kept whole at one size."""
    from peers import tokenizers

    model = tokenizers.learn(text, size)
    if over == "text":
        lines = text.read_text(encoding="utf-8").splitlines()
        encoded = model.encode_batch_fast(lines)
        return sum(map(len, encoded)) / sum(len(line.split()) for line in lines), None
    words = counted(text)
    lengths = tokenizers.lengths(model, list(words))
    tokens = sum(length * count for length, count in zip(lengths, words.values(), strict=True))
    whole = sum(count for length, count in zip(lengths, words.values(), strict=True) if length == 1)
    return tokens / words.total(), whole / words.total()
