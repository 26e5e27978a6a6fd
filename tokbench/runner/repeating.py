"""Learners that do not give the same twice: how far the values of repeated runs spread."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import stdev

import numpy as np

from tokbench.run_folder.tables import Row
from tokbench.runner.outcome import Outcome

Place = tuple[str, str, str, str, str, str]
"""System, size, context, corpus, metric and subset."""

Repeated = tuple[Place, float]


@dataclass(frozen=True)
class Repeats:
    """The values of all runs of each learner that was run several times, the first included."""

    values: dict[Place, list[float]]

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], repeated: Sequence[Repeated]) -> "Repeats":
        """Gather the values of the systems that were repeated, those of the first run in front."""
        systems = {place[0] for place, _ in repeated}
        values: dict[Place, list[float]] = {}
        first = values_of(outcome for outcome in outcomes if outcome.system.name in systems)
        for place, value in (*first, *repeated):
            values.setdefault(place, []).append(value)
        return cls(values)

    def shown(self, row: Row) -> Row:
        """Fill in how often a row's learner was run, and the standard deviation of its values."""
        place = (row.system, row.size, row.context, row.corpus, row.metric, row.subset)
        found = self.values.get(place)
        if found is None:
            return row
        defined = len(found) > 1 and bool(np.isfinite(found).all())
        return replace(row, repeats=len(found), repeat_sd=stdev(found) if defined else None)


def values_of(outcomes: Iterable[Outcome]) -> list[Repeated]:
    """Return the values of outcomes; their segmentations need not be kept for them."""
    return [
        (
            (outcome.system.name, outcome.size_label, outcome.context_on(corpus), corpus, *key),
            estimate.value,
        )
        for outcome in outcomes
        for corpus, estimates in outcome.estimates.items()
        for key, estimate in estimates.items()
    ]
