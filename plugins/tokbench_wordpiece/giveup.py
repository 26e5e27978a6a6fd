"""The states of words that are given up: one unknown token in place of what matched."""

from collections.abc import Sequence

import numpy as np

from tokbench.api import Vocabulary
from tokbench.api.arrays import Timeline
from tokbench.api.text import byte_length


def given_up(
    timeline: Timeline,
    words: Sequence[str],
    long: Sequence[bool],
    whole_word_unknown: bool,
    vocabulary: Vocabulary,
) -> Timeline:
    """Replace each state of a `long` word by one unknown token.

    With `whole_word_unknown`, replace each state that holds an unknown token, too.
    States of a word that then follow each other unchanged become one.
    """
    lengths = np.diff(timeline.row)
    lost = np.array(long, bool)[timeline.word]
    if whole_word_unknown:
        not_sought = np.array([-1, *vocabulary.unproduced, *vocabulary.bytes])
        of = np.repeat(np.arange(len(lengths)), lengths)
        lost |= np.bincount(of[np.isin(timeline.ids, not_sought)], minlength=len(lengths)) > 0
    # Of several lost states in a row the first stands for all.
    repeated = (
        lost & np.append(False, lost[:-1] & (timeline.word[1:] == timeline.word[:-1]))[: len(lost)]
    )
    last = ~np.append(repeated[1:], False)[: len(lost)]
    token = np.where(lost, 1, lengths)[~repeated]
    row = np.concatenate(([0], np.cumsum(token)))
    unknown = -1 if vocabulary.unknown is None else vocabulary.unknown
    ids = np.full(row[-1], unknown)
    ends = np.array([*map(byte_length, words)], np.int64)
    stops = np.repeat(ends[timeline.word[~repeated]], token)
    kept, shown = np.repeat(~lost, lengths), np.repeat(~lost[~repeated], token)
    ids[shown], stops[shown] = timeline.ids[kept], timeline.ends[kept]
    return Timeline(
        word=timeline.word[~repeated],
        row=row,
        ids=ids,
        ends=stops,
        since=timeline.since[~repeated],
        until=timeline.until[last],
    )
