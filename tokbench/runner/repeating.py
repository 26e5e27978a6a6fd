"""Learners that do not give the same twice: how far the values of repeated runs spread."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import stdev

import numpy as np

from tokbench.runner.outcome import Outcome
from tokbench.runner.results import Row

Key = tuple[str, str, str, str, str, str]
"""System, size, context, corpus, metric and subset."""


@dataclass(frozen=True)
class Repeats:
    """The values of all runs of each learner that was run several times, the first included."""

    values: dict[Key, list[float]]

    def shown(self, row: Row) -> Row:
        """Fill in how often a row's learner was run, and the standard deviation of its values."""
        key = (row.system, row.size, row.context, row.corpus, row.metric, row.subset)
        found = self.values.get(key)
        if found is None:
            return row
        defined = len(found) > 1 and bool(np.isfinite(found).all())
        return replace(row, repeats=len(found), repeat_sd=stdev(found) if defined else None)


def repeats_of(outcomes: Sequence[Outcome], repeated: Sequence[Outcome]) -> Repeats:
    """Gather the values of the systems that were repeated."""
    systems = {outcome.system.name for outcome in repeated}
    values: dict[Key, list[float]] = {}
    for outcome in (*(o for o in outcomes if o.system.name in systems), *repeated):
        for corpus, estimates in outcome.estimates.items():
            for (metric, subset), estimate in estimates.items():
                place = (outcome.system.name, outcome.size_label, outcome.context_on(corpus))
                key = (*place, corpus, metric, subset)
                values.setdefault(key, []).append(estimate.value)
    return Repeats(values)
