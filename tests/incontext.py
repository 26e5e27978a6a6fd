"""Segmenters of lines that do what a test says, and running text from a few lines."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tokbench.api import LineTokens, TextSegmenter, Vocabulary, Words
from tokbench.api.segmentation import byte_length
from tokbench.corpora.running import RunningText
from tokbench.corpora.words import WordsBuilder

Tokens = Sequence[tuple[int, int, int]]


class Told(TextSegmenter):
    """Gives each line the tokens (id, first byte, end) that a test says."""

    tokens: Mapping[str, Tokens]

    def segment_lines(self, lines: Sequence[str], prepared: Any) -> LineTokens:
        found = [token for line in lines for token in self.tokens[line]]
        ids, starts, ends = np.array(found, dtype=np.int64).reshape(-1, 3).T
        row = np.cumsum([0, *(len(self.tokens[line]) for line in lines)])
        return LineTokens(row, ids, starts, ends)


class Matching(TextSegmenter):
    """Takes the matches of a pattern for tokens; what the vocabulary does not hold is unknown."""

    pattern: str

    def segment_lines(self, lines: Sequence[str], prepared: Vocabulary) -> LineTokens:
        row, tokens = [0], []
        for line in lines:
            for match in re.finditer(self.pattern, line):
                tokens.append((prepared.ids.get(match[0], -1), *match.span()))
            row.append(len(tokens))
        ids, starts, ends = np.array(tokens, dtype=np.int64).reshape(-1, 3).T
        return LineTokens.from_characters(lines, row, ids, starts, ends)


def running(
    *lines: str, train: Mapping[str, int] | None = None, pattern: str = r"\S+"
) -> tuple[Words, RunningText]:
    """Give the words of lines, which a pattern finds, and where they begin."""
    builder, begins = WordsBuilder(), []
    for line in lines:
        found = [*re.finditer(pattern, line)]
        builder.add([match[0] for match in found], 0)
        begins += [byte_length(line[: match.start()]) for match in found]
    sizes = np.array([byte_length(line) for line in lines], dtype=np.int64)
    return builder.build(train or {}), RunningText(lines, np.array(begins, dtype=np.int64), sizes)
