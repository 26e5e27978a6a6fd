"""Segmenters of lines that do what a test says, and how they cut running words."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from tokbench.api import TextSegmenter, Vocabulary
from tokbench.api.arrays import LineTokens, Segmentation
from tokbench.api.segmentation import SHARED_FIRST, SHARED_REST, WHOLE, InContext

__all__ = [
    "SHARED_FIRST",
    "SHARED_REST",
    "WHOLE",
    "GivenTokens",
    "InContext",
    "Matching",
    "Tokens",
    "rows_of",
]  # fmt: skip

Tokens = Sequence[tuple[int, int, int]]


class GivenTokens(TextSegmenter):
    """Returns each line the tokens (id, first byte, end) that a test says, else none."""

    tokens: ClassVar[Mapping[str, Tokens]]

    def segment_lines(self, lines: Sequence[str], prepared: Any) -> LineTokens:
        tokens = [token for line in lines for token in self.tokens.get(line, ())]
        ids, starts, ends = np.array(tokens, dtype=np.int64).reshape(-1, 3).T
        row = np.cumsum([0, *(len(self.tokens.get(line, ())) for line in lines)])
        return LineTokens(row, ids, starts, ends)


class Matching(TextSegmenter):
    """Takes the matches of a pattern for tokens; what the vocabulary does not hold is unknown."""

    pattern: ClassVar[str]

    def segment_lines(self, lines: Sequence[str], prepared: Vocabulary) -> LineTokens:
        row, tokens = [0], []
        for line in lines:
            for match in re.finditer(self.pattern, line):
                tokens.append((prepared.ids.get(match[0], -1), *match.span()))
            row.append(len(tokens))
        ids, starts, ends = np.array(tokens, dtype=np.int64).reshape(-1, 3).T
        return LineTokens.from_characters(lines, row, ids, starts, ends)


def rows_of(segmentation: Segmentation) -> list[list[tuple[int, int, int, int]]]:
    """Return the rows (id, start, end, part) of each running word, in the order of the text."""
    context = segmentation.context
    assert context is not None
    columns = (segmentation.ids, segmentation.starts, segmentation.ends, context.part)
    rows = [*zip(*(column.tolist() for column in columns), strict=True)]
    row = segmentation.row.tolist()
    return [rows[row[s] : row[s + 1]] for s in context.order.tolist()]
