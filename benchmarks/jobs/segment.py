"""Cut each distinct word of a text once, again and again, each time with a segmenter just built.

Such a segmenter has cut only one word, so it cannot profit from words that it remembers. A run cuts
each distinct word once too.
"""

from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from peers import peer
from words import counted

from tokbench.api import Vocabulary


def run(name: str, text: str, vocabulary: str, repetitions: int) -> dict[str, Any]:
    """Return the median seconds of cutting all words."""
    module = peer(name)
    words = list(counted(Path(text)))
    # A peer that cannot load it learns one of the same size.
    loaded = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    seconds = []
    for _ in range(repetitions):
        model = module.load(loaded, Path(text))
        module.segment(model, words[:1])
        begin = perf_counter()
        module.segment(model, words)
        seconds.append(perf_counter() - begin)
    return {"seconds": median(seconds), "words": len(words)}
