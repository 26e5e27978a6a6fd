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
        for one in (one for one in record.tests if one.name in corpora):
            words = run.words(one.name)
            if not same_training:
                words = replace(words, train_count=None, groups={})
            kind: Any = one.kind
            corpus = TestCorpus(one.name, kind, words, one.sha256, one.words_by)
            self._tests[one.name] = TestSet.prepare(corpus, *drawn)

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
        one, other = (score(self._tests[corpus], metrics, of) for of in (first, second))
        for metric, error in (*one.errors, *other.errors):
            yield f"metric {metric} on {corpus}: {error}"
        for metric, subset in {**one.estimates, **other.estimates}:
            found = [of.estimates.get((metric, subset)) for of in (one, other)]
            values = [None if e is None or math.isnan(e.value) else e.value for e in found]
            if found[0] is not None and found[1] is not None and None not in values:
                paired = compare(found[1], found[0]) or ()
                yield PairedNumber(metric, subset, *values, *paired)
            elif any(value is not None for value in values):
                yield PairedNumber(metric, subset, *values)
