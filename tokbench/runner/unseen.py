"""Count the unseen words of a test corpus by kind. They depend on the texts, not on systems."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from tokbench.api import CountedWords
from tokbench.api.words import KIND, Subset
from tokbench.corpora.unseen import KINDS
from tokbench.run_folder.tables import ALL_KINDS, GrowthRow, UnseenRow
from tokbench.score.resample import Floats, exact_sums, interval
from tokbench.score.test_set import TestSet
from tokbench.significance import MINIMUM_EVENT_UNITS


def unseen_rows(test: TestSet, good_turing: float | None) -> Iterator[UnseenRow]:
    """Count the unseen words of a corpus, all and by kind, each share with its interval."""
    if test.corpus.words.pairs is not None:
        return  # their words were made to be unseen
    words, running_text = test.corpus.words, test.corpus.kind == "text"
    subsets = {ALL_KINDS: "unseen", **{kind: str(Subset(KIND, kind)) for kind in KINDS}}
    tables = [test.tables.get(("line", subset)) for subset in ("all", *subsets.values())]
    nothing = np.zeros(len(test.blocks["line"]) - 1)
    by_block = [nothing if table is None else np.diff(table.ends) for table in tables]
    running, *kinds = _sums(test, np.column_stack(by_block).astype(np.float64)).T
    for (kind, subset), counts, sums in zip(subsets.items(), by_block[1:], kinds, strict=True):
        each_once = test.tables.get(("word", subset))
        distinct = 0 if each_once is None else len(each_once.items)
        rarer = by_block[0] - counts if 2 * sums[0] > running[0] else counts
        enough = np.count_nonzero(rarer) >= MINIMUM_EVENT_UNITS
        resampled = enough and test.is_resampled("line", "all")
        ends = interval(sums[1:] / running[1:]) if resampled else None
        low, high = ends or (None, None)
        yield UnseenRow(
            corpus=test.corpus.name,
            kind=kind,
            words_running=int(sums[0]),
            words_distinct=distinct,
            share_running=float(sums[0] / running[0]),
            low=low,
            high=high,
            share_distinct=distinct / len(words),
            good_turing=good_turing if kind == ALL_KINDS and running_text else None,
        )


def growth_rows(share: float, training: CountedWords, test: TestSet) -> Iterator[GrowthRow]:
    """Count the unseen words of a corpus where the training text is a share of the whole one."""
    words = test.corpus.words
    if words.pairs is not None:
        return
    seen = training.among(words.text)
    unseen = np.array([not seen.get(word) for word in words.text])
    running, counts = sum(training.values()), [*training.values()]
    once = counts.count(1)
    yield GrowthRow(
        corpus=test.corpus.name,
        training_share=share,
        training_words=running,
        training_distinct=len(training),
        share_running=float(words.count[unseen].sum() / words.count.sum()),
        share_distinct=float(unseen.mean()),
        good_turing=once / running if once and test.corpus.kind == "text" else None,
    )


def _sums(test: TestSet, by_block: Floats) -> Floats:
    """Add up columns over all blocks, then over those of each resample: one row each."""
    drawn = test.weights["line"].chunks(by_block.shape[1], np.float32)
    return exact_sums(chain([np.ones((1, len(by_block)), np.float32)], drawn), by_block)
