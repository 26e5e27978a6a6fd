"""How often each token stands in the training text, for every listed size of a vocabulary."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Segmenter, States, Vocabulary
from tokbench.runner.checked import checked
from tokbench.runner.fixed_cuts import all_states
from tokbench.runner.portions import portions
from tokbench.runner.timeline import grown, grows_at_the_end

Ints = NDArray[np.int64]

WORDS_AT_ONCE = 100_000

Counted = tuple[str, Vocabulary, Ints]
"""A listed size, the vocabulary of that size, and how often each of its classes occurs."""


def training_tokens(
    words: Mapping[str, int],
    vocabulary: Vocabulary,
    cuts: Mapping[str, Vocabulary],
    segmenter: Segmenter,
) -> Iterator[Counted]:
    """Count the tokens of the training words at each size that a learned vocabulary was cut to.

    `words` are what was learned from, with their counts; `cuts` the vocabularies by size. There
    is one count a token, in the order of ids without special tokens and `unknown`, and one more
    for all that is not known, where anything is not known. A segmenter with a timeline reads
    every word only once.
    """
    found = None
    if grows_at_the_end(vocabulary):
        found = _replayed(words, vocabulary, [*cuts.values()], segmenter)
    for number, (size, cut) in enumerate(cuts.items()):
        counts = _segmented(words, cut, segmenter) if found is None else found[number]
        yield size, cut, by_class(cut, counts)


def _replayed(
    words: Mapping[str, int],
    vocabulary: Vocabulary,
    cuts: Sequence[Vocabulary],
    segmenter: Segmenter,
) -> list[Ints] | None:
    """Count ids at each cut, the last number being of all that is not known.

    None where the segmenter has no timeline. Raises BrokenPromiseError where what it gives is none.
    """
    since = min(len(cut.learned) for cut in cuts)
    prepared = segmenter.prepare(vocabulary)
    totals = [np.zeros(len(cut.tokens) + 1, dtype=np.int64) for cut in cuts]
    tokens = grown(vocabulary)
    left = iter(words.items())
    while part := list(islice(left, WORDS_AT_ONCE)):
        texts = [word for word, _ in part]
        weights = np.array([count for _, count in part], dtype=np.int64)
        for begin, end in portions(texts, len(vocabulary.learned) - since):
            given = all_states(segmenter, texts[begin:end], prepared, vocabulary, since)
            if given is None:
                return None
            states = checked(given, texts[begin:end], tokens, since)
            for total, cut in zip(totals, cuts, strict=True):
                total += _at(states, weights[begin:end], cut)
    return totals


def _at(states: States, weights: Ints, cut: Vocabulary) -> Ints:
    """Count the ids of the states that hold at one cut."""
    learned = len(cut.learned)
    live = (states.since <= learned) & (learned < states.until)
    lengths = np.diff(states.row)
    ids = states.ids[np.repeat(live, lengths)]
    counts = np.repeat(weights[states.word[live]], lengths[live])
    bins = np.where(ids < 0, len(cut.tokens), ids)
    # Weights are added up as floating-point numbers, exact up to 2^53 tokens.
    return np.bincount(bins, counts, len(cut.tokens) + 1).astype(np.int64)


def _segmented(words: Mapping[str, int], cut: Vocabulary, segmenter: Segmenter) -> Ints:
    """Count ids as `_replayed` does at one cut, by segmenting every word."""
    prepared: Any = segmenter.prepare(cut)
    found = segmenter.segment_many(list(words), prepared)
    unknown = len(cut.tokens)
    counts = [0] * (unknown + 1)
    for tokens, count in zip(found, words.values(), strict=True):
        for token in tokens:
            name = token if isinstance(token, str) else token[0]
            if name is not None:  # else the text is dropped, and there is no token
                place = name if isinstance(name, int) else cut.ids.get(name, unknown)
                counts[place] += count
    return np.array(counts, dtype=np.int64)


def by_class(cut: Vocabulary, counts: Ints) -> Ints:
    """Join what is not known into one class, which is left out where it is empty."""
    unproduced = sorted(cut.unproduced)
    unknown = counts[-1] + counts[unproduced].sum()
    known = np.delete(counts[:-1], unproduced)
    return np.append(known, unknown) if unknown else known
