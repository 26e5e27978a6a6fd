"""Tables of tokens: joined, in batches, and as timelines, which hold every size of a vocabulary.

A table is a dataclass of arrays, such as LineTokens and Timeline, whose row `i` has the tokens
`row[i]` to `row[i + 1] - 1`.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from tokbench.api import Vocabulary
from tokbench.api.arrays import LineTokens, Timeline
from tokbench.api.segmentation import take_rows
from tokbench.api.words import Ints, spans

STATE_CELLS = 500_000
"""The tokens of all states that a batch of words may have; a word beyond it is a batch alone."""

BATCH_BYTES = 2**20
"""The bytes of a batch of texts, whose arrays use the memory of the one before.

With 4 MB, much time goes into fresh memory: GPT-2's tokenizer took 4.5 s in place of 3.5.
"""


T = TypeVar("T", bound=LineTokens | Timeline)


def take(table: T, rows: Ints) -> T:
    """Return some of the rows alone, in the order of their numbers."""
    return type(table)(**take_rows(vars(table), rows))


def join(tables: Sequence[T]) -> T:
    """Lay tables one after the other."""
    if len(tables) == 1:
        return tables[0]
    columns: dict[str, Any] = {
        name: np.concatenate([vars(table)[name] for table in tables]) for name in vars(tables[0])
    }
    first = np.cumsum([0, *(table.row[-1] for table in tables)])
    later: list[Ints] = [table.row[1:] + begin for table, begin in zip(tables, first, strict=False)]
    return type(tables[0])(**columns | {"row": np.concatenate([[0], *later])})


def batches_of_states(texts: Sequence[str], learned: int) -> Iterator[tuple[int, int]]:
    """Yield the first word and the end (exclusive) of each batch of words to be replayed.

    A word of n letters has at most n tokens in each of at most n, or `learned` + 1, states.
    """
    begin, cells = 0, 0
    for number, text in enumerate(texts):
        cells_of_text = len(text) * min(len(text), learned + 1)
        if cells + cells_of_text > STATE_CELLS and number > begin:
            yield begin, number
            begin, cells = number, 0
        cells += cells_of_text
    yield begin, len(texts)


def batches_of_bytes(size: Ints, at_once: int = BATCH_BYTES) -> Iterator[tuple[int, int]]:
    """Yield the first text and the end (exclusive) of each batch of about so many bytes."""
    batch = np.cumsum(size) // at_once
    yield from pairwise([0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(size)])


def token_totals(vocabulary: Vocabulary) -> Ints:
    """Return how many tokens the vocabulary has with 0, 1, ... learned items."""
    births = np.array(vocabulary.births, dtype=np.int64)
    return np.cumsum(np.bincount(births, minlength=len(vocabulary.learned) + 1))


def grows_at_the_end(vocabulary: Vocabulary) -> bool:
    """Return whether the tokens of each cut are the first tokens of the whole vocabulary.

    Only then does an id mean the same token at every size, and one replay serves all.
    """
    alphabet = set(vocabulary.alphabet)
    learned = [token for token in dict.fromkeys(vocabulary.products) if token not in alphabet]
    base = len(vocabulary.tokens) - len(learned)
    ends_learned = base >= 0 and list(vocabulary.tokens[base:]) == learned
    return ends_learned and all(i < base for i in vocabulary.unproduced)


def states_of_cuts(cuts: LineTokens, vocabulary: Vocabulary, since: int) -> Timeline:
    """Return the states of words that are cut at the same places at every size of a vocabulary.

    A token becomes known when the item that builds it is learned. So a word has a state that begins
    at `since` learned items, and one for each later number at which one of its tokens is learned.
    """
    row, since, until = cuts.row, max(since, 0), len(vocabulary.learned) + 1
    # The number at which each token is learned; -1, which is no token, takes the last number.
    births = np.array([*vocabulary.births, 0])[cuts.ids]
    late = np.flatnonzero(births > since)
    # A word and a number of learned items make one number, so that one sort serves both.
    changes = (np.searchsorted(row, late, side="right") - 1) * until + births[late]
    words = np.arange(len(row) - 1 if since < until else 0)
    beginnings = np.sort(np.concatenate((words * until + since, changes)), kind="stable")
    word, begins = np.divmod(beginnings[np.diff(beginnings, prepend=-1) > 0], until)
    many = np.diff(row)[word]
    tokens = spans(row[word], many)
    return Timeline(
        word=word,
        row=np.append(0, np.cumsum(many)),
        ids=np.where(births[tokens] <= np.repeat(begins, many), cuts.ids[tokens], -1),
        ends=cuts.ends[tokens],
        since=begins,
        until=until_next(word, begins, until),
    )


def until_next(word: Ints, since: Ints, last: int) -> Ints:
    """Return `until` of states: `since` of the next state of the same word, or else `last`."""
    following = np.append(since[1:], last)[: len(word)]
    return np.where(np.diff(word, append=-1) != 0, last, following)


def states_at(states: Timeline, learned: Ints) -> Timeline:
    """Return the states that exist at any of the numbers of learned items, which rise."""
    exists = np.searchsorted(learned, states.since) < np.searchsorted(learned, states.until)
    return states if exists.all() else take(states, np.flatnonzero(exists))
