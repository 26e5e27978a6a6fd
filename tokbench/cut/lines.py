"""Whole lines cut into tokens: in context, and words alone, each given as a line of its own."""

import numpy as np
from numpy.typing import NDArray

from tokbench.api import LineTokens, Segmentation, Words
from tokbench.api.segmentation import InContext, Ints
from tokbench.corpora.running import RunningText
from tokbench.cut.align import Places, align
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.distinct import WordTokens, distinct, joined
from tokbench.cut.round_trip import finished
from tokbench.cut.timeline import batches_of_bytes, joined_rows


def segment_in_context(bound: BoundSegmenter, words: Words, text: RunningText) -> Segmentation:
    """Cut the lines of a text, and share the tokens out to its words.

    Raises BrokenPromiseError where offsets are wrong.
    """
    parts: list[WordTokens] = []
    orders: list[NDArray[np.uint32]] = []
    outside: list[Ints] = []
    known = 0
    for begin, end in batches_of_bytes(text.size):
        aligned, uncovering = align(
            bound.lines(text.lines[begin:end]), _places(words, text, begin, end)
        )
        here, place = distinct(aligned)
        parts.append(here)
        orders.append((place + known).astype(np.uint32))
        outside.append(uncovering)
        known += len(here.number)
    states, order = parts[0], orders[0]
    if len(parts) > 1:
        states, place = distinct(joined(parts))
        order = place[np.concatenate(orders)].astype(np.uint32)
    found = Segmentation(
        words=words,
        vocabulary=bound.vocabulary,
        word=states.number,
        row=states.row,
        ids=states.ids,
        starts=states.starts,
        ends=states.ends,
        round_trip=np.zeros(len(states.number), dtype=bool),
        context=InContext(order=order, part=states.part, outside=np.concatenate(outside)),
    )
    return finished(found, bound)


def _places(words: Words, text: RunningText, begin: int, end: int) -> Places:
    """Return where the running words of some lines stand."""
    running = slice(words.lines[begin], words.lines[end])
    number = words.order[running].astype(np.int64)
    rows = words.lines[begin : end + 1] - words.lines[begin]
    return Places(number, text.begins[running], words.bytes[number], rows, text.size[begin:end])


def segment_alone(bound: BoundSegmenter, words: Words) -> Segmentation:
    """Cut each word as a line of its own; raises BrokenPromiseError where offsets are wrong."""
    parts = [bound.lines(words.text[a:b]) for a, b in batches_of_bytes(words.bytes)]
    tokens = LineTokens(
        row=joined_rows([part.row for part in parts]),
        ids=np.concatenate([part.ids for part in parts]),
        starts=np.concatenate([part.starts for part in parts]),
        ends=np.concatenate([part.ends for part in parts]),
    )
    return alone(bound, words, tokens)


def alone(bound: BoundSegmenter, words: Words, tokens: LineTokens) -> Segmentation:
    """Return the segmentation of words that were cut alone, each with its row of tokens."""
    found = Segmentation(
        words=words,
        vocabulary=bound.vocabulary,
        word=np.arange(len(words), dtype=np.int64),
        row=tokens.row,
        ids=tokens.ids,
        starts=tokens.starts,
        ends=tokens.ends,
        round_trip=np.zeros(len(words), dtype=bool),
    )
    return finished(found, bound)
