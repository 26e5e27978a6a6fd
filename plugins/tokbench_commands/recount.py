"""Numbers of two runs from the tokens that both kept, on the same resamples.

So differences are paired, as those between the systems of one run are.
"""

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from tokbench.api import Metric, Segmentation
from tokbench.commands.texts import TestCorpus, TestSet, compare, score
from tokbench.run_folder import Run


class PairedNumber(NamedTuple):
    """A number in two runs, and the second minus the first with its interval and p.

    What is undefined is None.
    """

    metric: str
    subset: str
    first: float | None
    second: float | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None


class Recount:
    """The test corpora of a run made ready for its tokens and for those of another run.

    That has the same words in them. Unless it learned from the `same_training` text, there are no
    unseen words to speak of.
    """

    def __init__(self, run: Run, corpora: Collection[str], same_training: bool) -> None:
        record = run.record
        by: Any = record.resample_by
        drawn = record.resamples, record.seed, by
        self._tests: dict[str, TestSet] = {}
        for test in record.tests:
            if test.name in corpora:
                words = run.words(test.name)
                if not same_training:
                    words = replace(words, train_count=None, groups={})
                kind: Any = test.kind
                corpus = TestCorpus(test.name, kind, words, test.sha256, test.words_by)
                self._tests[test.name] = TestSet.prepare(corpus, *drawn)

    def numbers(
        self,
        corpus: str,
        metrics: Mapping[str, Metric],
        first: Mapping[str, Segmentation],
        second: Mapping[str, Segmentation],
    ) -> Iterator[PairedNumber | str]:
        """Yield the numbers that both have on a corpus, and why a metric has none.

        `first` and `second` are the tokens of one system by corpus: some metrics compare two.
        """
        scores = [score(self._tests[corpus], metrics, of) for of in (first, second)]
        for metric, error in (*scores[0].errors, *scores[1].errors):
            yield f"metric {metric} on {corpus}: {error}"
        for metric, subset in {**scores[0].estimates, **scores[1].estimates}:
            before, after = (of.estimates.get((metric, subset)) for of in scores)
            values = [
                None if estimate is None or math.isnan(estimate.value) else estimate.value
                for estimate in (before, after)
            ]
            if before is not None and after is not None and None not in values:
                paired = compare(after, before) or ()
                yield PairedNumber(metric, subset, *values, *paired)
            elif any(value is not None for value in values):
                yield PairedNumber(metric, subset, *values)
