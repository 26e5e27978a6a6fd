"""Values on training samples: how much they vary, and whether differences keep their sign."""

import math
from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import NamedTuple

from tokbench.runner.outcome import Outcome, SystemResult, Values

Place = tuple[str, str, str]
"""Corpus, metric and subset."""


class SampledValues(NamedTuple):
    """The values of an outcome by training sample; of what learns nothing they never vary."""

    asked: int
    found: Mapping[int, Values]
    fixed: Values | None

    @classmethod
    def of(cls, results: SystemResult, outcome: Outcome) -> "SampledValues":
        """Find the samples of an outcome."""
        fixed: Values | None = {} if outcome.system.learner.reads == "nothing" else None
        if not results.sampled:
            return cls(outcome.system.training_samples, {}, fixed)
        (key,) = (key for key, one in results.outcomes.items() if one is outcome)
        found = {
            one.sample: values
            for one, values in results.sampled.items()
            if one._replace(sample=0) == key
        }
        fixed = None if fixed is None else outcome.values
        return cls(outcome.system.training_samples, found, fixed)

    def value(self, sample: int, place: Place) -> float:
        """Return the value in a sample, NaN where there is none."""
        values = self.found.get(sample, {}) if self.fixed is None else self.fixed
        return values.get(place, math.nan)

    def spread(self, place: Place) -> float | None:
        """Return the standard deviation over the samples, None where one has no value."""
        return spread([self.value(sample, place) for sample in range(1, self.asked + 1)])

    def agreeing(self, other: "SampledValues", place: Place, difference: float) -> float | None:
        """Return the share of samples in which there is a difference of the same sign.

        They are those that both have. None where one of the two was learned without samples, where
        neither was learned, where there is no difference, and where no sample was scored.
        """
        learned = [one.asked for one in (self, other) if one.fixed is None]
        if not learned or not all(learned) or not difference:
            return None
        many = min(learned)
        found = [self.value(i, place) - other.value(i, place) for i in range(1, many + 1)]
        if all(map(math.isnan, found)):
            return None
        return sum(one * difference > 0 for one in found) / many


def spread(values: Sequence[float]) -> float | None:
    """Return the standard deviation of two values or more, None where one is undefined."""
    return stdev(values) if len(values) > 1 and all(map(math.isfinite, values)) else None
