"""Metrics that compare systems with one that they name: scored when all systems have been cut."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tokbench.config import Experiment
from tokbench.issues import Issue, Location
from tokbench.runner.outcome import Key, Outcome, SystemResult
from tokbench.score.count import Given
from tokbench.score.estimate import Estimate, score
from tokbench.score.test_set import TestSet

Metrics = Mapping[str, Any]


def with_named(
    results: Mapping[str, SystemResult], tests: Sequence[TestSet], experiment: Experiment
) -> Mapping[str, SystemResult]:
    """Return the results of all systems, by name, with the values of metrics that name a system."""
    metrics = {
        named.name: named.metric for named in experiment.metrics if "system" in named.metric.needs
    }
    if not metrics:
        return results
    every = [outcome for result in results.values() for outcome in result.outcomes.values()]
    by_label = {one.record.label: one for one in every if not one.record.isolated_copy}
    found: dict[str, SystemResult] = {}
    for name, result in results.items():
        outcomes: dict[Key, Outcome] = {}
        issues: list[Issue] = []
        for key, outcome in result.outcomes.items():
            outcomes[key], wrong = _compared(outcome, by_label, tests, metrics, experiment.gate)
            issues += wrong
        found[name] = replace(result, outcomes=outcomes, issues=(*result.issues, *issues))
    return found


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
            given = Given(other.segmentations[corpus])
            scores = score(test, {name: metric}, outcome.segmentations, given)
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
