"""Samples and shares of the training text: how learning varies with it, and how it grows."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress, repeat

import numpy as np
from numpy.typing import NDArray

from tokbench.api import CountedWords, CountTable
from tokbench.api.words import Words, spans
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import frequent_words
from tokbench.corpora.load import Training
from tokbench.corpora.running import CorpusLines
from tokbench.corpora.words import TrainingText

LEAST_DOCUMENTS = 100
"""A text of fewer documents is drawn in so many blocks of consecutive lines."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SampledLines:
    """The lines of a training text, each as often as `times` says; copies follow one another."""

    lines: CorpusLines
    times: Ints

    def __iter__(self) -> Iterator[str]:
        """Read each line that was drawn, anew in each iteration."""
        for line, times in zip(self.lines, self.times.tolist(), strict=True):
            yield from repeat(line, times)


@dataclass(frozen=True, eq=False)
class _Read:
    """The lines of a training text, read again: the words of each, and its document."""

    training: Training
    reader: CorpusReader
    words: Words
    documents: Ints

    @classmethod
    def of(cls, training: Training) -> "_Read":
        """Read the text; raises UsageError for word counts, InputError if it has changed."""
        return cls(training, training.lines.open_reader(), *training.lines.words())

    def by_unit(self, unit: Ints) -> CountTable:
        """Return how often each unit of lines, numbered from 0, holds each word."""
        ends = np.searchsorted(unit[self.words.documents], np.arange(int(unit[-1]) + 2))
        return CountTable(self.words.order, self.words.lines[ends], len(self.words))

    def drawn(
        self, table: CountTable, unit: Ints, times: Ints
    ) -> tuple[CountedWords, TrainingText]:
        """Return all words of a text in which units stand so often, and what is learned from it."""
        counts = table.totals(times.astype(np.float64)).astype(np.int64)
        held = counts > 0
        pairs = zip(compress(self.words.text, held), counts[held].tolist(), strict=True)
        counted = CountedWords.of(dict(pairs))
        lines = SampledLines(self.training.lines, times[unit])
        running = partial(_drawn_lines, self.words, times[unit])
        return counted, TrainingText(frequent_words(self.reader, counted), lines, running)


def _drawn_lines(words: Words, times: Ints) -> Words:
    """Return the lines of a text, each as often as its number among all lines says."""
    drawn = np.repeat(np.arange(len(words.lines) - 1), times[words.documents])
    size = np.diff(words.lines)[drawn]
    order = words.order[spans(words.lines[drawn], size)]
    lines, documents = np.append(0, np.cumsum(size)), words.documents[drawn]
    return replace(words, order=order, lines=lines, documents=documents)


def training_samples(training: Training, number: int, seed: int) -> Iterator[TrainingText]:
    """Draw as many documents as there are, with replacement, so often (Efron and Tibshirani 1993).

    A document that is drawn twice counts twice. Words keep the order of their first occurrence in
    the whole text. Raises UsageError for word counts, which have no documents, and
    InputError for what cannot be read again.
    """
    read = _Read.of(training)
    unit = units(read.documents)
    table, many = read.by_unit(unit), int(unit[-1]) + 1
    for sample in range(1, number + 1):
        drawn = np.random.default_rng([seed, sample]).integers(0, many, many)
        yield read.drawn(table, unit, np.bincount(drawn, minlength=many))[1]


def training_shares(
    training: Training, shares: Sequence[float], seed: int
) -> Iterator[tuple[float, CountedWords, TrainingText]]:
    """Take the first lines of an order that the seed draws, until they hold a share of the words.

    They stand as in the text, so that each share holds the smaller ones. Where there are 100
    documents, these are taken whole. With each share come all its counted words, and the text to
    learn from. Raises what `training_samples` does.
    """
    read = _Read.of(training)
    unit = units(read.documents, blocks=False)
    table = read.by_unit(unit)
    size = np.diff(table.ends)
    order = np.random.default_rng([seed, 0]).permutation(len(size))
    reached = np.cumsum(size[order])
    for share in shares:
        wanted = math.ceil(round(share * int(reached[-1]), 6))  # 0.07 * 100 is above 7
        taken = np.zeros(len(size), dtype=np.int64)
        taken[order[: np.searchsorted(reached, wanted) + 1]] = 1
        yield share, *read.drawn(table, unit, taken)


def units(documents: Ints, blocks: bool = True) -> Ints:
    """Return for each line the number of what is drawn as a whole, from 0: its document.

    Of too few documents it is a block of lines, or without `blocks` the line alone.
    """
    fresh = np.diff(documents, prepend=-1) != 0
    if fresh.sum() >= LEAST_DOCUMENTS:
        return np.cumsum(fresh) - 1
    number = min(LEAST_DOCUMENTS, len(documents)) if blocks else len(documents)
    return np.arange(len(documents), dtype=np.int64) * number // len(documents)
