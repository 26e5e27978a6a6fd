"""All pairs of systems at the same size, on the metrics that choices are made by."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tokbench.config import Experiment, NamedMetric
from tokbench.run_folder.tables import ComparisonRow
from tokbench.runner.outcome import Outcome, SystemResult
from tokbench.runner.rows import is_gated
from tokbench.runner.samples import SampledValues
from tokbench.score.pairs import ComparedPair, all_pairs
from tokbench.score.resample import Floats
from tokbench.significance import ALPHA

COMPARED = ("fertility", "kept-whole-running", "boundary-f1-micro", "boundary-kappa")
SUBSETS = ("all", "unseen")


class _Family(NamedTuple):
    """The numbers that are compared with each other: all but the systems is the same."""

    metric: str
    corpus: str
    subset: str
    context: str
    size: str


class _Member(NamedTuple):
    outcome: Outcome
    value: float
    samples: Floats


def comparisons(experiment: Experiment, found: SystemResult) -> Iterator[ComparisonRow]:
    """Compare all pairs of systems that have the same size and context; gated ones are left out."""
    families: dict[_Family, list[_Member]] = {}
    for named in experiment.metrics:
        if named.name in COMPARED:
            for outcome in found.outcomes.values():
                for family, member in _members(experiment, named, outcome):
                    families.setdefault(family, []).append(member)
    for family, members in families.items():
        pairs = all_pairs([one.value for one in members], [one.samples for one in members])
        for pair in pairs:
            one, other = members[pair.one].outcome, members[pair.other].outcome
            yield ComparisonRow(
                *family,
                system=one.record.system,
                other=other.record.system,
                difference=pair.difference,
                low=pair.low,
                high=pair.high,
                p=pair.p,
                verdict=_verdict(found, family, one, other, pair),
            )


def _members(
    experiment: Experiment, named: NamedMetric, outcome: Outcome
) -> Iterator[tuple[_Family, _Member]]:
    for corpus, estimates in outcome.estimates.items():
        if is_gated(outcome, corpus, named.metric, experiment.gate):
            continue
        for subset in SUBSETS:
            estimate = estimates.get((named.name, subset))
            samples = estimate.samples if estimate else None
            if estimate is None or samples is None or len(samples) < 2:
                continue
            if np.isfinite(samples).all():
                context = outcome.contexts[corpus]
                family = _Family(named.name, corpus, subset, context, outcome.record.size)
                yield family, _Member(outcome, estimate.value, samples)


def _verdict(
    found: SystemResult, family: _Family, one: Outcome, other: Outcome, pair: ComparedPair
) -> str:
    """Say whether the first is higher or lower; two are never called the same."""
    place = family.corpus, family.metric, family.subset
    agree = SampledValues.of(found, one).agreeing(
        SampledValues.of(found, other), place, pair.difference
    )
    if pair.p >= ALPHA or (agree is not None and agree < 1):
        return "cannot tell"
    return "higher" if pair.difference > 0 else "lower"
