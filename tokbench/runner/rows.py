"""From outcomes to the rows of results.csv: each compared with the baseline at its size."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tokbench.config import Experiment, System
from tokbench.run_folder.tables import UNDEFINED, Row
from tokbench.runner.bench import Bench
from tokbench.runner.outcome import Outcome
from tokbench.runner.scoring import Estimate
from tokbench.stats import Floats, holm, interval, p_value

FAILED = "not scored"
LONGEST_REASON = 500  # characters; a library may say anything, and the failures hold all of it


def rows(
    outcome: Outcome,
    outcomes: Sequence[Outcome],
    experiment: Experiment,
    train: str,
    benches: Sequence[Bench],
) -> Iterator[Row]:
    """Yield the rows of one outcome: corpora, subsets and metrics in order."""
    base = _baseline(experiment, outcome, outcomes)
    for bench in benches:
        corpus = bench.corpus.name
        estimates = outcome.estimates.get(corpus, {})
        for subset in bench.subsets:
            for named in experiment.metrics:
                key = (named.name, subset)
                if key in estimates:
                    row = Row(
                        system=outcome.system.name,
                        learner=outcome.system.learner_name,
                        segmenter=outcome.segmenter_name,
                        train=train,
                        corpus=corpus,
                        subset=subset,
                        context=outcome.context_on(corpus),
                        size=outcome.size_label,
                        vocabulary_size=outcome.vocabulary.size,
                        metric=named.name,
                        better=named.metric.better,
                        baseline=None if base is None else _label(base),
                    )
                    against = None if base is None else base.estimates[corpus].get(key)
                    yield with_estimate(row, estimates[key], against)


def missing_rows(
    system: System, train: str, outcomes: Sequence[Outcome], said: Sequence[str]
) -> Iterator[Row]:
    """Yield a row for each size of a system that has no outcome, its status being the reason.

    `said` are the failures of a run, then its notes on sizes that were left out.
    """
    there = {outcome.size_label for outcome in outcomes if outcome.system is system}
    for size in map(str, system.sizes or ("",)):
        if size not in there:
            yield Row(
                system=system.name,
                learner=system.learner_name,
                segmenter=system.segmenter_name or "",
                train=train,
                corpus="",
                subset="",
                context="",
                size=size,
                status=_reason(system.name, size, said),
            )


def _reason(system: str, size: str, said: Sequence[str]) -> str:
    """Find why a size has no results: what is said of it, of its system, or of another size.

    It is cut to one line of bounded length.
    """
    name = f"system {system}"
    known = [(f"{name} at size {size}: ", ""), (f"{name}: ", ""), (f"{name} at size ", "at size ")]
    for start, kept in known:
        for message in said:
            if message.startswith(start):
                reason = " ".join(message.removeprefix(start).split())
                return kept + reason[:LONGEST_REASON]
    return FAILED


def with_estimate(row: Row, estimate: Estimate, base: Estimate | None) -> Row:
    """Fill in a value, its interval and its difference from the baseline's estimate."""
    if math.isnan(estimate.value):
        return replace(row, baseline=None, status=UNDEFINED)
    low, high = _interval(estimate.samples)
    row = replace(row, value=estimate.value, low=low, high=high, n=estimate.n)
    if base is None or math.isnan(base.value):
        return replace(row, baseline=None)
    row = replace(row, difference=estimate.value - base.value)
    if estimate.samples is None or base.samples is None:
        return row
    differences = estimate.samples - base.samples
    low, high = _interval(differences)
    return replace(row, difference_low=low, difference_high=high, p=p_value(differences))


def adjust(rows: Sequence[Row]) -> list[Row]:
    """Fill in p-holm: Holm over the systems within a metric, corpus, subset and size.

    Systems that are compared with the baseline, and those compared with themselves in context, are
    two families.
    """
    families: dict[tuple[str, str, str, str, bool], list[int]] = {}
    for i, row in enumerate(rows):
        if row.p is not None:
            # What was cut alone beside the same in context is a question of its own.
            beside = row.baseline is not None and row.baseline.partition("@")[0] == row.system
            key = (row.metric, row.corpus, row.subset, row.size, beside)
            families.setdefault(key, []).append(i)
    adjusted = list(rows)
    for members in families.values():
        for i, p in zip(members, holm([rows[i].p or 0.0 for i in members]), strict=True):
            adjusted[i] = replace(rows[i], p_holm=p)
    return adjusted


def _interval(samples: Floats | None) -> tuple[float | None, float | None]:
    found = None if samples is None else interval(samples)
    return found or (None, None)


def _baseline(
    experiment: Experiment, outcome: Outcome, outcomes: Sequence[Outcome]
) -> Outcome | None:
    """Find what an outcome is compared with: the baseline at the same size.

    A system without sizes is compared with the baseline's largest one; what was cut alone beside
    the same in context is compared with that.
    """
    if outcome.beside:
        same = [o for o in outcomes if o.system is outcome.system and o.size == outcome.size]
        return next((o for o in same if not o.beside), None)
    if outcome.system.name == experiment.baseline:
        return None
    candidates = [o for o in outcomes if o.system.name == experiment.baseline and not o.beside]
    if outcome.size is None:
        return max(candidates, key=lambda o: o.size.number if o.size else 0, default=None)
    same = [o for o in candidates if o.size is None or o.size == outcome.size]
    return same[0] if same else None


def _label(outcome: Outcome) -> str:
    return outcome.system.name + (f"@{outcome.size_label}" if outcome.size else "")
