"""Whole lines cut into tokens, and the tokens shared out to the running words that they cover."""

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Words
from tokbench.api.segmentation import InContext, Ints
from tokbench.corpora.running import RunningText
from tokbench.cut.align import Places, align
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.distinct import WordTokens, distinct
from tokbench.cut.rows import join
from tokbench.cut.timeline import batches_of_bytes


def tokens_in_context(
    bound: BoundSegmenter, words: Words, text: RunningText
) -> tuple[WordTokens, InContext]:
    """Cut the lines of a text: return each way in which a word is cut, and where it is cut so.

    Raises BrokenPromiseError where offsets are wrong.
    """
    parts: list[WordTokens] = []
    orders: list[NDArray[np.uint32]] = []
    outside: list[Ints] = []
    known = 0
    for begin, end in batches_of_bytes(text.size):
        tokens = bound.lines(text.lines[begin:end])
        aligned, uncovering = align(tokens, _places(words, text, begin, end))
        here, place = distinct(aligned)
        parts.append(here)
        orders.append((place + known).astype(np.uint32))
        outside.append(uncovering)
        known += len(here.word)
    states, order = parts[0], orders[0]
    if len(parts) > 1:
        states, place = distinct(join(parts))
        order = place[np.concatenate(orders)].astype(np.uint32)
    return states, InContext(order=order, part=states.part, outside=np.concatenate(outside))


def _places(words: Words, text: RunningText, begin: int, end: int) -> Places:
    """Return where the running words of some lines stand."""
    running = slice(words.lines[begin], words.lines[end])
    number = words.order[running].astype(np.int64)
    rows = words.lines[begin : end + 1] - words.lines[begin]
    return Places(number, text.begins[running], words.bytes[number], rows, text.size[begin:end])
