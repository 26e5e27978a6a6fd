"""Many words shared out over threads, in each of which a kernel cuts its part.

A kernel works without the interpreter's lock. The tokens of a word do not depend on other
words, so the states are the same with any number of threads.
"""

import os
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from tokbench_bpe.segment.states import wrap

if TYPE_CHECKING:
    from tokbench.api import Timeline

Cut = Callable[[tuple[str, ...]], Sequence[bytes]]

THREADS = 2
"""The most threads that are used."""

LEAST = 5_000
"""Words that are worth a thread of their own."""

SAMPLED = 50
"""Of so many words one is measured, to tell where half of the letters are."""


def share_out(cut: Cut, words: Sequence[str], items: int) -> "Timeline":
    """Return the states of words that a kernel cuts; each call of it first reads `items` items."""
    texts = tuple(words)
    threads = min(THREADS, processors(), len(texts) // max(LEAST, items))
    if threads < 2:
        return wrap([(0, cut(texts))])
    # Not loaded by those who cut few words.
    from concurrent.futures import ThreadPoolExecutor

    bounds = borders(texts, threads)
    first, *others = [texts[begin:end] for begin, end in pairwise(bounds)]
    with ThreadPoolExecutor(threads - 1) as pool:
        waiting = [pool.submit(cut, part) for part in others]
        # This thread, which alone sees the user's interrupts, does a part of the work too.
        found = [cut(first), *(part.result() for part in waiting)]
    return wrap([*zip(bounds, found, strict=False)])


def borders(texts: Sequence[str], parts: int) -> list[int]:
    """Return where parts of about as many letters begin, and where the last one ends."""
    letters = list(accumulate(map(len, texts[::SAMPLED])))
    shares = (letters[-1] * part // parts for part in range(1, parts))
    return [0, *(SAMPLED * bisect_right(letters, share) for share in shares), len(texts)]


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
