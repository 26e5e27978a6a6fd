"""The training text cut by what was learned from it: how often each token occurs at each size."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from tokbench.api import Vocabulary
from tokbench.api.arrays import LineTokens, Timeline
from tokbench.api.words import Ints
from tokbench.cut import BoundSegmenter
from tokbench.cut.timeline import batches_of_states, grows_at_the_end, states_at

WORDS_AT_ONCE = 2**14

TrainingCounts = tuple[str, Vocabulary, Ints]
"""A listed size, the vocabulary of that size, and how often each of its tokens occurs, by id.

The last count is that of tokens without an id, which are unknown.
"""


def training_counts(
    words: Mapping[str, int], bound: BoundSegmenter, cuts: Mapping[str, Vocabulary]
) -> Mapping[str, Ints]:
    """Count the tokens of the training words at each size that a learned vocabulary was cut to.

    `words` are those that were learned from, with their counts; `cuts` the vocabularies by size.
    Return counts by id and, last, that of tokens without an id. A segmenter with a timeline reads
    every word only once. Raise BrokenPromiseError as cutting test text does.
    """
    replayed = _replayed(words, bound, cuts) if grows_at_the_end(bound.vocabulary) else None
    return replayed or {
        size: _segmented(words, replace(bound, vocabulary=cut)) for size, cut in cuts.items()
    }


def _replayed(
    words: Mapping[str, int], bound: BoundSegmenter, cuts: Mapping[str, Vocabulary]
) -> dict[str, Ints] | None:
    """Count at all sizes in one replay; None without a timeline."""
    since = min(len(cut.learned) for cut in cuts.values())
    totals = {size: np.zeros(len(cut.tokens) + 1, dtype=np.int64) for size, cut in cuts.items()}
    for texts, weights in _batches(words):
        for begin, end in batches_of_states(texts, len(bound.vocabulary.learned) - since):
            states = bound.states(texts[begin:end], since)
            if states is None:
                return None
            for size, cut in cuts.items():
                at_size = states_at(states, np.array([len(cut.learned)]))
                totals[size] += _count(at_size, weights[begin:end], cut)
    return totals


def _batches(words: Mapping[str, int]) -> Iterator[tuple[list[str], Ints]]:
    """Yield the words and their counts, some at a time."""
    items = iter(words.items())
    while batch := list(islice(items, WORDS_AT_ONCE)):
        weights = np.array([count for _, count in batch], dtype=np.int64)
        yield [word for word, _ in batch], weights


def _segmented(words: Mapping[str, int], bound: BoundSegmenter) -> Ints:
    """Count at one size, by segmenting every word."""
    total = np.zeros(len(bound.vocabulary.tokens) + 1, dtype=np.int64)
    for texts, weights in _batches(words):
        total += _count(bound.alone(texts), weights, bound.vocabulary)
    return total


def _count(tokens: LineTokens | Timeline, weights: Ints, cut: Vocabulary) -> Ints:
    """Count the ids of words, which have one row each, as often as the words occur."""
    bins = np.where(tokens.ids < 0, len(cut.tokens), tokens.ids)
    # Weights are added up as floating-point numbers, exact up to 2^53 tokens.
    counts = np.repeat(weights, np.diff(tokens.row))
    return np.bincount(bins, counts, len(cut.tokens) + 1).astype(np.int64)


def by_class(cut: Vocabulary, counts: Ints) -> Ints:
    """Return the counts of the classes that a model predicts, from counts by id.

    The classes are the tokens without special tokens and `unknown`, and one more for everything
    unknown, if anything is.
    """
    unproduced = sorted(cut.unproduced)
    unknown = counts[-1] + counts[unproduced].sum()
    known = np.delete(counts[:-1], unproduced)
    return np.append(known, unknown) if unknown else known
