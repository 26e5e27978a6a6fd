"""Cut each distinct word of a text once, again and again, each time with a segmenter just built.

A segmenter just built has cut nothing yet but one word, so that what it remembers of words plays
no part, as where distinct words are cut once.
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
    # A peer that loads none learns one as large as that of the others.
    loaded = Vocabulary.from_json(Path(vocabulary).read_text(encoding="utf-8"))
    seconds = []
    for _ in range(repetitions):
        model = module.load(loaded, Path(text))
        module.segment(model, words[:1])
        begin = perf_counter()
        module.segment(model, words)
        seconds.append(perf_counter() - begin)
    return {"seconds": median(seconds), "words": len(words)}
