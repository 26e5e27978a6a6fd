"""Learners that do not give the same twice: how far the values of repeated runs spread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import stdev

import numpy as np

from tokbench.run_folder.tables import Row
from tokbench.runner.outcome import Outcome

Key = tuple[str, str, str, str, str, str]
"""System, size, context, corpus, metric and subset."""

Repeated = tuple[Key, float]


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


def repeats_of(outcomes: Sequence[Outcome], repeated: Sequence[Repeated]) -> Repeats:
    """Gather the values of the systems that were repeated, those of the first run in front."""
    systems = {key[0] for key, _ in repeated}
    values: dict[Key, list[float]] = {}
    first = values_of(outcome for outcome in outcomes if outcome.system.name in systems)
    for key, value in (*first, *repeated):
        values.setdefault(key, []).append(value)
    return Repeats(values)


def values_of(outcomes: Iterable[Outcome]) -> list[Repeated]:
    """Give the values of outcomes; what was segmented need not be kept for them."""
    return [
        (
            (outcome.system.name, outcome.size_label, outcome.context_on(corpus), corpus, *key),
            estimate.value,
        )
        for outcome in outcomes
        for corpus, estimates in outcome.estimates.items()
        for key, estimate in estimates.items()
    ]
