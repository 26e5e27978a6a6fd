"""The states of words that are given up: one unknown token in place of what matched."""

from collections.abc import Sequence

import numpy as np

from tokbench.api import Timeline, Vocabulary, byte_length


def given_up(
    states: Timeline,
    words: Sequence[str],
    long: Sequence[bool],
    whole: bool,
    vocabulary: Vocabulary,
) -> Timeline:
    """Replace each state of a `long` word by one unknown token, and with `whole` each unknown one.

    States of a word that then follow each other unchanged become one.
    """
    lengths = np.diff(states.row)
    lost = np.array(long, bool)[states.word]
    if whole:
        not_sought = np.array([-1, *vocabulary.unproduced, *vocabulary.bytes])
        of = np.repeat(np.arange(len(lengths)), lengths)
        lost |= np.bincount(of[np.isin(states.ids, not_sought)], minlength=len(lengths)) > 0
    # Of several lost states in a row the first stands for all.
    again = lost & np.append(False, lost[:-1] & (states.word[1:] == states.word[:-1]))[: len(lost)]
    last = ~np.append(again[1:], False)[: len(lost)]
    token = np.where(lost, 1, lengths)[~again]
    row = np.concatenate(([0], np.cumsum(token)))
    unknown = -1 if vocabulary.unknown is None else vocabulary.unknown
    ids = np.full(row[-1], unknown)
    ends = np.array([*map(byte_length, words)], np.int64)
    stops = np.repeat(ends[states.word[~again]], token)
    kept, shown = np.repeat(~lost, lengths), np.repeat(~lost[~again], token)
    ids[shown], stops[shown] = states.ids[kept], states.ends[kept]
    return Timeline(
        word=states.word[~again],
        row=row,
        ids=ids,
        ends=stops,
        since=states.since[~again],
        until=states.until[last],
    )
