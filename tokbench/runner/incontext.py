"""Whole lines cut into tokens: in context, and words alone, each given as a line of its own."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Segmentation, TextSegmenter, Vocabulary, Words
from tokbench.api.segmentation import Context, Ints
from tokbench.corpora.running import RunningText
from tokbench.runner.aligning import Places, align
from tokbench.runner.checked import checked_lines
from tokbench.runner.decoding import (
    Spelling,
    restored,
    restored_in_context,
    spelled,
    spelled_in_context,
)
from tokbench.runner.distinct import Cuts, distinct, joined

_BYTES_AT_A_TIME = 2**22


def segment_in_context(
    words: Words, text: RunningText, vocabulary: Vocabulary, segmenter: TextSegmenter, prepared: Any
) -> Segmentation:
    """Cut the lines of a text, and share the tokens out to its words.

    Raises BrokenPromiseError where offsets are wrong.
    """
    cuts: list[Cuts] = []
    orders: list[NDArray[np.uint32]] = []
    outside: list[Ints] = []
    known = 0
    for begin, end in portions(text.size):
        lines, size = text.lines[begin:end], text.size[begin:end]
        found = checked_lines(segmenter.segment_lines(lines, prepared), lines, size, vocabulary)
        running = slice(words.lines[begin], words.lines[end])
        number = words.order[running].astype(np.int64)
        ends = words.lines[begin : end + 1] - words.lines[begin]
        places = Places(number, text.begins[running], words.bytes[number], ends, size)
        aligned, beside = align(found, places)
        here, place = distinct(aligned)
        cuts.append(here)
        orders.append((place + known).astype(np.uint32))
        outside.append(beside)
        known += len(here.number)
    states, order = cuts[0], orders[0]
    if len(cuts) > 1:
        states, place = distinct(joined(cuts))
        order = place[np.concatenate(orders)].astype(np.uint32)
    context = Context(
        order=order,
        part=states.part,
        outside=np.concatenate(outside),
    )
    return _finished(states, words, vocabulary, segmenter, context)


def _finished(
    states: Cuts,
    words: Words,
    vocabulary: Vocabulary,
    segmenter: TextSegmenter,
    context: Context,
) -> Segmentation:
    found = Segmentation(
        words=words,
        vocabulary=vocabulary,
        word=states.number,
        row=states.row,
        ids=states.ids,
        starts=states.starts,
        ends=states.ends,
        restored=np.zeros(len(states.number), dtype=bool),
        context=context,
    )
    alike = spelled_in_context(found)
    return replace(found, restored=restored_in_context(found, segmenter, alike))


def segment_alone(
    words: Words, vocabulary: Vocabulary, segmenter: TextSegmenter, prepared: Any
) -> Segmentation:
    """Cut each word as a line of its own; raises BrokenPromiseError where offsets are wrong."""
    parts = []
    for begin, end in portions(words.bytes):
        lines = words.text[begin:end]
        given = segmenter.segment_lines(lines, prepared)
        parts.append(checked_lines(given, lines, words.bytes[begin:end], vocabulary))
    rows = np.cumsum([0, *(len(part.ids) for part in parts)])
    found = Segmentation(
        words=words,
        vocabulary=vocabulary,
        word=np.arange(len(words), dtype=np.int64),
        row=np.concatenate(
            [[0], *(part.row[1:] + first for first, part in zip(rows, parts, strict=False))]
        ),
        ids=np.concatenate([part.ids for part in parts]),
        starts=np.concatenate([part.starts for part in parts]),
        ends=np.concatenate([part.ends for part in parts]),
        restored=np.zeros(len(words), dtype=bool),
    )
    alike = spelled(found, Spelling.of(vocabulary))
    return replace(found, restored=restored(found, segmenter, alike))


def portions(size: Ints) -> Iterator[tuple[int, int]]:
    """Give the first and the last line (exclusive) of each portion of lines of so many bytes."""
    portion = np.cumsum(size) // _BYTES_AT_A_TIME
    cuts = [0, *(np.flatnonzero(np.diff(portion)) + 1).tolist(), len(size)]
    yield from pairwise(cuts)
