"""Whole lines from their distinct pieces, each of which is segmented once."""

from array import array
from collections.abc import Callable, Sequence

import numpy as np
from tokbench_bpe.merging import Merges
from tokbench_bpe.segmenters import BpeRank

from tokbench.api.arrays import LineTokens, spans


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
    tokens = spans(timeline.row[order], counts)
    before = np.append(0, np.cumsum(counts))[np.array(row, dtype=np.int64)]
    lengths = timeline.ends - timeline.starts
    return LineTokens.from_lengths(before, timeline.ids[tokens], lengths[tokens])
