"""From outcomes to the rows of results.csv: each compared with the baseline at its size."""

from collections.abc import Iterator, Sequence

from tokbench.config import Experiment
from tokbench.corpora.load import Training
from tokbench.runner.outcome import Outcome
from tokbench.runner.results import Row, with_estimate
from tokbench.runner.signature import signer
from tokbench.score.test_set import TestSet


def rows(
    outcome: Outcome,
    outcomes: Sequence[Outcome],
    experiment: Experiment,
    train: Training,
    benches: Sequence[TestSet],
) -> Iterator[Row]:
    """Give the rows of one outcome: corpora, subsets and metrics in order."""
    base = _baseline(experiment, outcome, outcomes)
    for bench in benches:
        corpus = bench.corpus
        if corpus.name not in outcome.estimates:
            continue
        estimates = outcome.estimates[corpus.name]
        context = outcome.context_on(corpus.name)
        sign = signer(
            experiment, outcome.system, outcome.size, train, corpus, context == "in-context"
        )
        for subset in bench.subsets:
            for named in experiment.metrics:
                key = (named.name, subset)
                if key in estimates:
                    row = Row(
                        system=outcome.system.name,
                        learner=outcome.system.learner_name,
                        segmenter=outcome.segmenter_name,
                        train=train.name,
                        corpus=corpus.name,
                        subset=subset,
                        context=context,
                        size=outcome.size_label,
                        vocabulary_size=outcome.vocabulary.size,
                        metric=named.name,
                        better=named.metric.better,
                        baseline=None if base is None else _label(base),
                        signature=sign(named.name),
                    )
                    against = None if base is None else base.estimates[corpus.name].get(key)
                    yield with_estimate(row, estimates[key], against)


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
