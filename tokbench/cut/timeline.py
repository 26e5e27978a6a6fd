"""Timelines of words: the vocabularies that states belong to; joined, chosen, in batches."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from tokbench.api import Timeline, Vocabulary
from tokbench.api.segmentation import Ints, spans

STATE_CELLS = 10_000_000
"""The tokens of all states that a batch of words may have; a word beyond it is a batch alone."""

BATCH_BYTES = 2**22


def batches_of_states(texts: Sequence[str], learned: int) -> Iterator[tuple[int, int]]:
    """Return the first and the last number (exclusive) of each batch of words to be replayed.

    A word of n letters has at most n tokens in each of at most n, or `learned` + 1, states.
    """
    begin, cells = 0, 0
    for number, text in enumerate(texts):
        here = len(text) * min(len(text), learned + 1)
        if cells + here > STATE_CELLS and number > begin:
            yield begin, number
            begin, cells = number, 0
        cells += here
    yield begin, len(texts)


def batches_of_bytes(size: Ints) -> Iterator[tuple[int, int]]:
    """Return the first and the last line (exclusive) of each batch of lines of so many bytes."""
    batch = np.cumsum(size) // BATCH_BYTES
    cuts = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(size)]
    yield from pairwise(cuts)


def token_totals(vocabulary: Vocabulary) -> Ints:
    """Return the number of tokens that there are with 0, 1, ... learned items."""
    learned = len(vocabulary.products)
    # Of the items that build one token, the first comes last, and stays.
    first = dict(zip(reversed(vocabulary.products), range(learned, 0, -1), strict=True))
    fresh = np.array([first[token] for token in first.keys() - vocabulary.alphabet], np.int64)
    total: Ints = np.cumsum(np.bincount(fresh, minlength=learned + 1))
    return total + (len(vocabulary.tokens) - int(total[-1]))


def grows_at_the_end(vocabulary: Vocabulary) -> bool:
    """Return whether the tokens of each cut are the first tokens of the whole vocabulary."""
    known = set(vocabulary.alphabet)
    fresh = [token for token in dict.fromkeys(vocabulary.products) if token not in known]
    base = len(vocabulary.tokens) - len(fresh)
    ends_fresh = base >= 0 and list(vocabulary.tokens[base:]) == fresh
    return ends_fresh and all(i < base for i in vocabulary.unproduced)


def states_at(states: Timeline, learned: Ints) -> Timeline:
    """Return the states that hold at one of the numbers of learned items, which rise."""
    held = np.searchsorted(learned, states.since) < np.searchsorted(learned, states.until)
    tokens = np.diff(states.row)[held]
    taken = spans(states.row[:-1][held], tokens)
    return Timeline(
        word=states.word[held],
        row=np.concatenate(([0], np.cumsum(tokens))),
        ids=states.ids[taken],
        ends=states.ends[taken],
        since=states.since[held],
        until=states.until[held],
    )


def joined_states(parts: Sequence[tuple[int, Timeline]]) -> Timeline:
    """Join the states of batches, each with the number of its first word."""
    if len(parts) == 1:
        return parts[0][1]
    states = [found for _, found in parts]
    return Timeline(
        word=np.concatenate([found.word + first for first, found in parts]),
        row=joined_rows([found.row for found in states]),
        ids=np.concatenate([found.ids for found in states]),
        ends=np.concatenate([found.ends for found in states]),
        since=np.concatenate([found.since for found in states]),
        until=np.concatenate([found.until for found in states]),
    )


def joined_rows(rows: Sequence[Ints]) -> Ints:
    """Join row pointers of tables that are laid one after the other."""
    first = np.cumsum([0, *(row[-1] for row in rows)])
    later = [row[1:] + begin for begin, row in zip(first, rows, strict=False)]
    return np.concatenate([[0], *later])
