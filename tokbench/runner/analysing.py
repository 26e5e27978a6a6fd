"""What the tokens of each vocabulary did, given to the analyses that plugins offer."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from math import isfinite
from typing import Any

import numpy as np

from tokbench.api import Analysis, Splitter
from tokbench.api.arrays import Segmentation, UsedVocabulary
from tokbench.api.metric import Column, TrainingMetric
from tokbench.api.words import Ints, code_points
from tokbench.corpora.load import TestCorpus
from tokbench.corpora.words import TrainingText
from tokbench.cut import BoundSegmenter
from tokbench.errors import BrokenPromiseError, InputError, UsageError, cropped
from tokbench.issues import Issue, Location
from tokbench.plugins import Registry
from tokbench.printing import harmless
from tokbench.run_folder.run import TABLES
from tokbench.run_folder.tables import AnalysisRow

LINES_AT_ONCE = 1_000

Analyses = Mapping[str, Analysis]

Tables = Mapping[str, Mapping[str, Column]]
"""The columns of tables by name, and what they hold."""


def analyses_of(registry: Registry, of_metrics: Iterable[str]) -> tuple[Analyses, list[Issue]]:
    """Build all analyses on offer, and say why others cannot be: they cost only themselves.

    Their tables cannot have the names of other tables, such as those `of_metrics`.
    """
    built, issues = registry.build_all("analysis")
    taken = {*TABLES, "curves", *of_metrics}
    for name in sorted(taken & built.keys()):
        issues.append(
            Issue(
                "failed",
                "this is the name of a table of every run",
                Location(part=f"analysis {name}"),
            )
        )
    analyses = {
        name: analysis
        for name, analysis in built.items()
        if name not in taken and isinstance(analysis, Analysis)
    }
    return analyses, issues


def by_frequency(text: TrainingText, tests: Iterable[TestCorpus]) -> str:
    """Return the characters of training words, or else of test words, the frequent ones first."""
    tested = (zip(test.words.text, test.words.count.tolist(), strict=True) for test in tests)
    counted = [*(text.words.items() if text.words else chain(*tested))]
    lengths = np.array([len(word) for word, _ in counted], np.int64)
    times = np.repeat(np.array([count for _, count in counted], np.int64), lengths)
    codes = code_points("".join(word for word, _ in counted))
    distinct, first, number = np.unique(codes, return_index=True, return_inverse=True)
    frequency = np.bincount(number, times, len(distinct))
    return "".join(map(chr, distinct[np.lexsort((first, -frequency))].tolist()))


def used_vocabulary(
    size: str,
    bound: BoundSegmenter,
    splitter: Splitter | None,
    text: TrainingText,
    counts: Ints | None,
    tests: Mapping[TestCorpus, Segmentation],
    characters: str,
) -> UsedVocabulary:
    """Count what was emitted; `counts` are of training words cut alone, None in context."""
    ids = len(bound.vocabulary.tokens)
    in_context = counts is None
    if counts is None:
        with suppress(InputError, UsageError):  # counts of words, and pipes, are not read again
            counts = _of_lines(bound, text.lines)
        texts = (test.text.lines for test in tests if test.text)
        test = sum((_of_lines(bound, lines) for lines in texts), np.zeros(ids + 1))
    else:
        test = sum((_emitted(segmentation) for segmentation in tests.values()), np.zeros(ids + 1))
    settled = not in_context and splitter is None
    return UsedVocabulary(
        size=size,
        vocabulary=bound.vocabulary,
        training=counts if text.words else None,
        test=np.asarray(test).astype(np.int64) if tests else None,
        characters=characters,
        in_context=in_context,
        cut=bound.lines if in_context else partial(bound.alone, splitter=splitter),
        proofs=partial(bound.segmenter.proofs, prepared=bound.prepared) if settled else None,
    )


def _of_lines(bound: BoundSegmenter, lines: Iterable[str]) -> Ints:
    total, left = np.zeros(len(bound.vocabulary.tokens) + 1, dtype=np.int64), iter(lines)
    while some := [*islice(left, LINES_AT_ONCE)]:
        total += _bins(bound.lines(some).ids, len(total))
    return total


def _bins(ids: Ints, many: int, times: Ints | None = None) -> Ints:
    return np.bincount(np.where(ids < 0, many - 1, ids), times, many).astype(np.int64)


def _emitted(segmentation: Segmentation) -> Ints:
    many = len(segmentation.vocabulary.tokens) + 1
    return _bins(segmentation.ids, many, segmentation.count[segmentation.state_of])


def analysed(
    name: str, table: Analysis | TrainingMetric, system: str, size: str, data: Any
) -> tuple[AnalysisRow, ...]:
    """Return the rows of a table; raises BrokenPromiseError for others than it declares."""
    rows = []
    columns = table.columns
    for row in table.rows(data):
        if not isinstance(row, Mapping) or row.keys() != columns.keys():
            raise BrokenPromiseError(f"a row holds {cropped(row)}, not the columns {[*columns]}")
        for column, kind in columns.items():
            value = row[column]
            if kind == "text":
                right = isinstance(value, str)
            elif isinstance(value, int | float) and not isinstance(value, bool):
                right = isfinite(value)
            else:
                right = value is None
            if not right:
                raise BrokenPromiseError(f"{column!r} holds {cropped(value)}, expected a {kind}")
        cells = {c: harmless(v) if isinstance(v, str) else v for c, v in row.items()}
        rows.append(AnalysisRow(name, system, size, cells))
    return tuple(rows)
