"""Whole lines from their distinct pieces, each of which is segmented once."""

from array import array
from collections.abc import Callable, Sequence

import numpy as np
from tokbench_bpe.merging import Merges
from tokbench_bpe.segmenters import BpeRank

from tokbench.api.arrays import LineTokens


def cut(
    lines: Sequence[str],
    pieces: Callable[[str], Sequence[str]],
    segmenter: BpeRank,
    merges: Merges,
) -> LineTokens:
    """Cut lines into pieces, which join to the line, and pieces into tokens."""
    numbers: dict[str, int] = {}
    running, row = array("q"), array("q", [0])
    for line in lines:
        running.extend(numbers.setdefault(piece, len(numbers)) for piece in pieces(line))
        row.append(len(running))
    # With all items learned each piece has one state.
    timeline = segmenter.timeline(tuple(numbers), merges, len(merges.products))
    order = np.array(running, dtype=np.int64)
    counts = np.diff(timeline.row)[order]
    before = np.concatenate(([0], np.cumsum(counts)))
    tokens = np.arange(before[-1]) + np.repeat(timeline.row[order] - before[:-1], counts)
    starts = np.concatenate(([0], timeline.ends[:-1]))[: len(timeline.ends)]
    starts[timeline.row[:-1]] = 0
    lengths = timeline.ends - starts
    return LineTokens.from_lengths(
        before[np.array(row, dtype=np.int64)], timeline.ids[tokens], lengths[tokens]
    )
