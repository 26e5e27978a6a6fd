"""Systems compared with each other: metrics that name a system, and all pairs of a size."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tokbench.config import Experiment, NamedMetric
from tokbench.issues import Issue, Location
from tokbench.run_folder.tables import ComparisonRow
from tokbench.runner.results import Key, Outcome, SystemResult
from tokbench.runner.rows import is_gated, is_length
from tokbench.score.compare import ComparedPair, all_pairs
from tokbench.score.estimate import Estimate, score
from tokbench.score.resample import Floats, interval
from tokbench.score.test_set import TestSet
from tokbench.significance import ALPHA

COMPARED = (
    "fertility", "kept-whole-running", "boundary-f1-micro", "boundary-kappa", "tokens",
    "bits-per-byte",
)  # fmt: skip
SUBSETS = ("all", "unseen")
ALL_TEXTS = ""
"""In place of a corpus: the geometric mean over all texts."""

Metrics = Mapping[str, Any]


def with_named(
    results: Mapping[str, SystemResult], tests: Sequence[TestSet], metrics: Metrics, gate: float
) -> Mapping[str, SystemResult]:
    """Return the results of all systems, by name, with the values of metrics that name a system."""
    by_label = {
        outcome.record.label: outcome
        for result in results.values()
        for outcome in result.outcomes.values()
        if not outcome.record.isolated_copy
    }
    compared: dict[str, SystemResult] = {}
    for name, result in results.items():
        outcomes: dict[Key, Outcome] = {}
        issues: list[Issue] = []
        for key, outcome in result.outcomes.items():
            outcomes[key], wrong = _compared(outcome, by_label, tests, metrics, gate)
            issues += wrong
        compared[name] = replace(result, outcomes=outcomes, issues=(*result.issues, *issues))
    return compared


def _compared(
    outcome: Outcome,
    by_label: Mapping[str, Outcome],
    tests: Sequence[TestSet],
    metrics: Metrics,
    gate: float,
) -> tuple[Outcome, list[Issue]]:
    """Compare one outcome on all texts that it cut in context; return it, and what went wrong."""
    estimates, issues = dict(outcome.estimates), list[Issue]()
    for test in tests:
        corpus = test.corpus.name
        if corpus not in outcome.segmentations or outcome.contexts[corpus] == "isolated":
            continue
        here = dict(estimates[corpus])
        for name, metric in metrics.items():
            other = by_label.get(metric.of)
            why = _unfit(other, corpus, gate)
            if other is None or why:
                here[name, "all"] = Estimate(math.nan)
                cause = f"undefined on {corpus}: {metric.of} {why}"
                issues.append(Issue("note", cause, Location(part=f"metric {name}")))
                continue
            reference = other.segmentations[corpus]
            scores = score(test, {name: metric}, outcome.segmentations, reference=reference)
            here |= scores.estimates
            where = Location.of(outcome.system.name, outcome.size, f"metric {name}")
            issues += (Issue.of(error, where, corpus) for _, error in scores.errors)
        estimates[corpus] = here
    return replace(outcome, estimates=estimates), issues


def _unfit(other: Outcome | None, corpus: str, gate: float) -> str:
    """Say why a text cannot be compared with a system; nothing where it can."""
    if other is None or corpus not in other.segmentations:
        return "has no results"
    if other.contexts[corpus] == "isolated":
        return "cuts words alone, not whole lines"
    return "loses or does not know words there" if other.is_above(gate, corpus) else ""


class _Family(NamedTuple):
    """The numbers that are compared with each other: all but the systems is the same.

    Of lengths, so is whether tokens tell where words begin or end.
    """

    metric: str
    corpus: str
    subset: str
    context: str
    size: str
    loses_word_ends: bool


class _Member(NamedTuple):
    outcome: Outcome
    value: float
    samples: Floats


def comparisons(
    experiment: Experiment, results: SystemResult, tests: Sequence[TestSet]
) -> Iterator[ComparisonRow]:
    """Compare all pairs of systems that have the same size and context; gated ones are left out.

    By length, a system whose tokens do not tell word ends is compared with its like only.
    """
    short = {test.corpus.name for test in tests if test.drawing.is_short}
    if short.intersection(experiment.tests):
        short.add(ALL_TEXTS)
    families: dict[_Family, list[_Member]] = {}
    for named in experiment.metrics:
        if named.name in COMPARED:
            for outcome in results.outcomes.values():
                members = [*_members(experiment, named, outcome)]
                for family, member in [*members, *_over_texts(experiment, members)]:
                    families.setdefault(family, []).append(member)
    for family, compared in families.items():
        values, samples = [m.value for m in compared], [m.samples for m in compared]
        for pair in all_pairs(values, samples):
            system, other = compared[pair.first].outcome, compared[pair.second].outcome
            own = interval(samples[pair.first] - samples[pair.second]) or (None, None)
            yield ComparisonRow(
                *family[:-1],
                system=system.record.system,
                other=other.record.system,
                difference=pair.difference,
                low=pair.low,
                high=pair.high,
                p=pair.p,
                verdict=_verdict(family, system, other, pair),
                short_text="yes" * (family.corpus in short),
                own_low=own[0],
                own_high=own[1],
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
            # The maximum over pairs needs every resample.
            if np.isfinite(samples).all():
                context = outcome.contexts[corpus]
                lost = is_length(named.metric) and outcome.loses_word_ends(corpus)
                family = _Family(named.name, corpus, subset, context, outcome.record.size, lost)
                yield family, _Member(outcome, estimate.value, samples)


def _over_texts(
    experiment: Experiment, members: Sequence[tuple[_Family, _Member]]
) -> Iterator[tuple[_Family, _Member]]:
    """Return the geometric mean of one outcome's values over all texts, if there are several."""
    on_texts = [
        (family, member)
        for family, member in members
        if family.subset == "all" and family.corpus in experiment.tests
    ]
    families = {family._replace(corpus=ALL_TEXTS) for family, _ in on_texts}
    if len(experiment.tests) > 1 and len(on_texts) == len(experiment.tests) and len(families) == 1:
        with np.errstate(divide="ignore"):  # a value of 0 has the mean 0
            value = float(np.exp(np.mean([np.log(member.value) for _, member in on_texts])))
            samples = np.exp(np.mean([np.log(member.samples) for _, member in on_texts], axis=0))
        yield families.pop(), _Member(on_texts[0][1].outcome, value, samples)


def _verdict(family: _Family, system: Outcome, other: Outcome, pair: ComparedPair) -> str:
    """Say whether the first is higher or lower; two are never called the same."""
    place = family.corpus, family.metric, family.subset
    agree = system.agreeing(other, place, pair.difference)
    if pair.p >= ALPHA or (agree is not None and agree < 1):
        return "cannot tell"
    return "higher" if pair.difference > 0 else "lower"
