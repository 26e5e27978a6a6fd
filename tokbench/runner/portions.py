"""Timelines of many words, asked for in portions: a long word passes through very many states."""

from collections.abc import Iterator, Sequence

import numpy as np

from tokbench.api import States
from tokbench.api.segmentation import Ints, spans

CELLS = 10_000_000
"""The tokens of all states that one portion may have, words of one portion alone left out."""


def portions(texts: Sequence[str], learned: int) -> Iterator[tuple[int, int]]:
    """Give the first and the last number (exclusive) of each portion of the texts.

    A word of n letters has at most n tokens in each of at most n, or `learned` + 1, states.
    """
    begin, cells = 0, 0
    for number, text in enumerate(texts):
        here = len(text) * min(len(text), learned + 1)
        if cells + here > CELLS and number > begin:
            yield begin, number
            begin, cells = number, 0
        cells += here
    yield begin, len(texts)


def at_any(states: States, learned: Ints) -> States:
    """Give the states that hold at one of the numbers of learned items, which rise."""
    held = np.searchsorted(learned, states.since) < np.searchsorted(learned, states.until)
    tokens = np.diff(states.row)[held]
    taken = spans(states.row[:-1][held], tokens)
    return States(
        word=states.word[held],
        row=np.concatenate(([0], np.cumsum(tokens))),
        ids=states.ids[taken],
        ends=states.ends[taken],
        since=states.since[held],
        until=states.until[held],
    )


def joined(parts: Sequence[tuple[int, States]]) -> States:
    """Join the states of portions, each given with the number of its first word."""
    if len(parts) == 1:
        return parts[0][1]
    tokens = np.cumsum([0, *(len(states.ids) for _, states in parts)])
    rows = [states.row[1:] + first for first, (_, states) in zip(tokens, parts, strict=False)]
    return States(
        word=np.concatenate([states.word + first for first, states in parts]),
        row=np.concatenate([[0], *rows]),
        ids=np.concatenate([states.ids for _, states in parts]),
        ends=np.concatenate([states.ends for _, states in parts]),
        since=np.concatenate([states.since for _, states in parts]),
        until=np.concatenate([states.until for _, states in parts]),
    )
