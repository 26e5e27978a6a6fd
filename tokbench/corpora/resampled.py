"""The training text drawn again from its own documents, to see how much learning varies with it."""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import compress, repeat

import numpy as np
from numpy.typing import NDArray

from tokbench.api import CountedWords, CountTable
from tokbench.corpora.load import Training
from tokbench.corpora.running import CorpusLines, check_readable_again
from tokbench.corpora.training import frequent_words
from tokbench.corpora.words import TrainingText, WordsBuilder

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


def training_samples(training: Training, number: int, seed: int) -> Iterator[TrainingText]:
    """Draw as many documents as there are, with replacement, so often (Efron and Tibshirani 1993).

    A document that is drawn twice counts twice. Words keep the order of their first occurrence in
    the whole text. Raises UsageError for word counts, which have no documents, and
    InputError for what cannot be read again.
    """
    reader = training.lines.open_reader()
    check_readable_again(reader)
    builder, documents = WordsBuilder(), array("i")
    for lines in reader.lines():
        for found, document in zip(reader.words_of(lines), lines.documents, strict=True):
            builder.add(found, len(documents), lines.ends)
            if lines.ends:
                documents.append(document)
    reader.check_unchanged(training.lines.digest)
    unit = units(np.array(documents, dtype=np.int64))
    words = builder.build({})
    many = int(unit[-1]) + 1
    ends = words.lines[np.searchsorted(unit[words.documents], np.arange(many + 1))]
    table = CountTable(words.order, ends, len(words))
    for sample in range(1, number + 1):
        drawn = np.random.default_rng([seed, sample]).integers(0, many, many)
        times = np.bincount(drawn, minlength=many)
        counted = _counted(words.text, table.totals(times.astype(np.float64)).astype(np.int64))
        frequent = frequent_words(reader, counted)
        yield TrainingText(frequent, SampledLines(training.lines, times[unit]))


def units(documents: Ints) -> Ints:
    """Return for each line the number of what is drawn as a whole, from 0: document, or block."""
    fresh = np.diff(documents, prepend=-1) != 0
    if fresh.sum() >= LEAST_DOCUMENTS:
        return np.cumsum(fresh) - 1
    number = min(LEAST_DOCUMENTS, len(documents))
    return np.arange(len(documents), dtype=np.int64) * number // len(documents)


def _counted(words: Iterable[str], counts: Ints) -> CountedWords:
    held = counts > 0
    pairs = zip(compress(words, held), counts[held].tolist(), strict=True)
    return CountedWords.of(dict(pairs))
