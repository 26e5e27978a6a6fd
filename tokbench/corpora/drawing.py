"""Draw from the training text by the seed: test splits, and samples and shares to learn from."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress, repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tokbench.api.arrays import CountedWords, CountTable
from tokbench.api.words import Ints, Words, spans
from tokbench.corpora.corpus_reader import CorpusReader
from tokbench.corpora.counting import frequent_words
from tokbench.corpora.running import words_of_lines
from tokbench.corpora.source import Split
from tokbench.corpora.words import TrainingText
from tokbench.errors import UsageError

if TYPE_CHECKING:
    from tokbench.corpora.load import Training

STAYS = -1
"""The part of a line that stays in the training text."""

LEAST_DOCUMENTS = 100
"""A text of fewer documents is drawn in so many blocks of consecutive lines."""


def draw(documents: NDArray[np.int32], splits: Mapping[str, Split], seed: int) -> NDArray[np.int16]:
    """Draw for each line the number of the split that takes it out, or STAYS.

    `documents` holds the document of each line. A split takes its exact share (rounded) of all
    lines or documents, from what the splits before it have left. Raises UsageError where a split
    would take nothing, or leave nothing.
    """
    drawn = np.full(len(documents), STAYS, dtype=np.int16)
    random = np.random.default_rng(seed)
    for number, (name, split) in enumerate(splits.items()):
        units = documents if split.by == "document" else np.arange(len(documents))
        free = np.unique(units[drawn == STAYS])
        share = round(split.split * len(np.unique(units)))
        if not 0 < share < len(free):
            raise UsageError(
                f"{name}: a share of {split.split:g} would take {share} of the {len(free)} "
                f"{split.by}s of the training text that are left; at least one must be taken, "
                "and one must stay"
            )
        taken = np.zeros(len(units), dtype=np.bool_)
        taken[random.permutation(free)[:share]] = True
        drawn[taken[units] & (drawn == STAYS)] = number
    return drawn


def parts(reader: CorpusReader, splits: Mapping[str, Split], seed: int) -> list[CorpusReader]:
    """Draw the splits of a text; return readers of the lines of each, and of those that stay.

    The digest of a part depends on all splits and the seed, but not on the names of splits.
    """
    reader.check_readable_again()
    documents = np.array(
        [line.document for chunk in reader.chunks() for line in reader.lines_of(chunk)],
        dtype=np.int32,
    )
    if not len(documents):
        raise reader.no_words()
    drawn = draw(documents, splits, seed)
    how = [split.model_dump(mode="json") for split in splits.values()]
    return [
        CorpusReader(
            where,
            reader.corpus,
            chosen=drawn == part,
            chosen_by=json.dumps({"splits": how, "seed": seed, "part": part}),
            digest=reader.digest,
        )
        for part, where in [*enumerate(splits), (STAYS, reader.where)]
    ]


@dataclass(frozen=True, eq=False)
class SampledLines:
    """The lines of a training text, each as often as `times` says; copies follow one another."""

    lines: CorpusReader
    times: Ints

    def __iter__(self) -> Iterator[str]:
        """Read each line that was drawn, anew in each iteration."""
        for line, times in zip(self.lines, self.times.tolist(), strict=True):
            yield from repeat(line, times)


def training_samples(training: "Training", number: int, seed: int) -> Iterator[TrainingText]:
    """Draw samples of the training text, to learn from (Efron and Tibshirani 1993).

    Each has as many documents as the text, drawn with replacement: a document that is drawn twice
    counts twice. Words keep the order of their first occurrence in the whole text. Raises
    UsageError for word counts, which have no documents, and InputError for what cannot be read
    again.
    """
    words, documents = words_of_lines(training.lines)
    unit = units(documents)
    table = _by_unit(words, unit)
    many = len(table.ends) - 1
    for sample in range(1, number + 1):
        drawn = np.random.default_rng([seed, sample]).integers(0, many, many)
        times = np.bincount(drawn, minlength=many)
        _, text = _drawn(training.lines, words, table, times, times[unit])
        yield text


def training_shares(
    training: "Training", shares: Sequence[float], seed: int
) -> Iterator[tuple[float, CountedWords, TrainingText]]:
    """Draw shares of the training text: its lines in random order, until they hold enough words.

    Each share holds the smaller ones, and its lines stand as in the text. Documents are taken whole
    if there are 100. Yields the share, all its counted words, and the text to learn from. Raises
    what `training_samples` does.
    """
    words, documents = words_of_lines(training.lines)
    unit = units(documents, blocks=False)
    table = _by_unit(words, unit)
    size = np.diff(table.ends)
    order = np.random.default_rng([seed, 0]).permutation(len(size))
    reached = np.cumsum(size[order])
    for share in shares:
        wanted = math.ceil(round(share * int(reached[-1]), 6))  # 0.07 * 100 is above 7
        times = np.zeros(len(size), dtype=np.int64)
        times[order[: np.searchsorted(reached, wanted) + 1]] = 1
        yield share, *_drawn(training.lines, words, table, times, times[unit])


def units(documents: Ints, blocks: bool = True) -> Ints:
    """Return for each line the number of the unit that is drawn as a whole: its document.

    If there are too few documents, it is one of 100 blocks of lines or, without `blocks`, the line.
    """
    begins = np.diff(documents, prepend=-1) != 0
    if begins.sum() >= LEAST_DOCUMENTS:
        return np.cumsum(begins) - 1
    number = min(LEAST_DOCUMENTS, len(documents)) if blocks else len(documents)
    return np.arange(len(documents), dtype=np.int64) * number // len(documents)


def _by_unit(words: Words, unit: Ints) -> CountTable:
    """Return how often each unit of lines, numbered from 0, holds each word."""
    ends = np.searchsorted(unit[words.documents], np.arange(int(unit[-1]) + 2))
    return CountTable(words.order, words.lines[ends], len(words))


def _drawn(
    reader: CorpusReader, words: Words, table: CountTable, times: Ints, times_of_lines: Ints
) -> tuple[CountedWords, TrainingText]:
    """Return the words of a text in which each unit stands so many times, and the text to learn."""
    counts = table.totals(times.astype(np.float64)).astype(np.int64)
    is_drawn = counts > 0
    pairs = zip(compress(words.text, is_drawn), counts[is_drawn].tolist(), strict=True)
    counted = CountedWords.of(dict(pairs))
    lines, running = (
        SampledLines(reader, times_of_lines),
        partial(_drawn_lines, words, times_of_lines),
    )
    return counted, TrainingText(frequent_words(reader, counted), lines, running)


def _drawn_lines(words: Words, times: Ints) -> Words:
    """Return the lines of a text, each as often as its number among all lines says."""
    drawn = np.repeat(np.arange(len(words.lines) - 1), times[words.documents])
    size = np.diff(words.lines)[drawn]
    order = words.order[spans(words.lines[drawn], size)]
    lines, documents = np.append(0, np.cumsum(size)), words.documents[drawn]
    return replace(words, order=order, lines=lines, documents=documents)
