"""The lines of a text to look at: those with the most unseen words, as they stand there."""

from collections.abc import Mapping

import numpy as np

from tokbench.api.words import KIND, Subset, Words
from tokbench.corpora.load import TestCorpus

LINES = 3
FEWEST, MOST = 6, 14
"""The words of a line that is worth a look."""
LONG_WORD = 4
DULL = ("case", "number", "punctuation")
"""Kinds of unseen words that do not count: a heading in capitals tells little."""


def sample_lines(test: TestCorpus) -> Mapping[int, str]:
    """Return three lines of 6 to 14 words, by their number among the lines with words.

    They are those with the most unseen words of four characters or more; lists have none.
    """
    return {line: test.text.lines[line] for line in _chosen(test.words)} if test.text else {}


def _chosen(words: Words) -> list[int]:
    unseen = words.unseen & (words.chars >= LONG_WORD)
    for kind in DULL:
        unseen &= ~words.groups.get(str(Subset(KIND, kind)), np.zeros(len(words), dtype=bool))
    counted, lengths = words.sum_lines(unseen), np.diff(words.lines)
    fit = np.flatnonzero((lengths >= FEWEST) & (lengths <= MOST))
    order = fit[np.argsort(-counted[fit], kind="stable")][:LINES]
    return sorted(order.tolist())
