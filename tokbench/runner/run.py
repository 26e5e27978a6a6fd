"""Run an experiment: every system learned, segmented, scored, and compared with the baseline."""

from collections.abc import Sequence

from tokbench.config import Experiment
from tokbench.corpora.load import Corpora
from tokbench.plugins import Registry
from tokbench.runner.advice import advice_of, too_few_resamples
from tokbench.runner.bench import Bench
from tokbench.runner.curves import Curve
from tokbench.runner.failures import Failures
from tokbench.runner.outcome import Outcome, Run
from tokbench.runner.repeating import repeats_of
from tokbench.runner.results import Row, adjust
from tokbench.runner.rows import rows
from tokbench.runner.series import Key
from tokbench.runner.serving import run_system
from tokbench.runner.work import Progress, Work
from tokbench.stats import MINIMUM_UNITS, Floats

__all__ = ["Outcome", "Run", "execute"]

SHOWN_FEW = 6


def execute(
    experiment: Experiment, corpora: Corpora, registry: Registry, progress: Progress
) -> Run:
    """Run every system of an experiment on its corpora; a failing system costs only itself."""
    benches = tuple(
        Bench.prepare(test, experiment.resamples, experiment.seed) for test in corpora.tests
    )
    work = Work(experiment, corpora, registry, progress, benches)
    for bench in benches:
        _note_few_units(bench, experiment, work.failures)
    for system in experiment.systems:
        with work.failures.guard(f"system {system.name}"):
            run_system(system, work)
    _note_missing(work)
    found, samples = _rows(work), _samples(work.outcomes)
    for note in too_few_resamples(samples):
        work.failures.note(note)
    return Run(
        experiment=experiment,
        corpora=corpora,
        outcomes=tuple(work.outcomes),
        learned=work.learned,
        rows=found,
        costs=tuple(work.book.costs),
        notes=tuple(work.failures.notes),
        failures=tuple(work.failures.failures),
        timelines=work.timelines,
        curves=tuple(work.curves) if _asked_for_curves(experiment) else None,
        advice=advice_of(found, samples, _changes(work.curves)),
        sizings=tuple(work.sizings),
    )


def _rows(work: Work) -> tuple[Row, ...]:
    train, benches = work.corpora.train, work.benches
    repeats = repeats_of(work.outcomes, work.repeated)
    found = [
        repeats.shown(row)
        for outcome in work.outcomes
        for row in rows(outcome, work.outcomes, work.experiment, train, benches)
    ]
    return tuple(adjust(found))


def _samples(outcomes: Sequence[Outcome]) -> dict[tuple[Key, str], Floats | None]:
    """Give the resampled values on all words, by system, corpus, metric and size."""
    return {
        ((outcome.system.name, corpus, metric), outcome.size_label): estimate.samples
        for outcome in outcomes
        if not outcome.beside
        for corpus, estimates in outcome.estimates.items()
        for (metric, subset), estimate in estimates.items()
        if subset == "all"
    }


def _changes(curves: Sequence[Curve]) -> dict[Key, list[tuple[str, float | None]]]:
    """Give the curves on all words as curves.csv holds them."""
    return {
        (curve.system, curve.corpus, curve.metric): [
            (size, float(text) if text else None) for size, text in curve.changes()
        ]
        for curve in curves
        if curve.subset == "all"
    }


def _asked_for_curves(experiment: Experiment) -> bool:
    return any(system.span is not None and system.span.curve for system in experiment.systems)


def _note_few_units(bench: Bench, experiment: Experiment, failures: Failures) -> None:
    """Note once for each corpus which of its subsets are too small to be resampled."""
    units = {
        named.metric.unit for named in experiment.metrics if bench.applies(named.metric, "all")
    }
    few = [
        f"{subset} ({bench.units[unit, subset]} {unit}s)"
        for subset in bench.subsets
        for unit in sorted(units)
        if bench.units[unit, subset] < MINIMUM_UNITS
    ]
    if few:
        more = f", and {len(few) - SHOWN_FEW} more" if len(few) > SHOWN_FEW else ""
        failures.note(
            f"corpus {bench.corpus.name}: no intervals and no p-values where there are fewer than "
            f"{MINIMUM_UNITS} units: {', '.join(few[:SHOWN_FEW])}{more}"
        )


def _note_missing(work: Work) -> None:
    """Note what a reader would look for in vain: results at all, and a baseline's."""
    if not work.outcomes:
        work.failures.note("nothing was scored: no system has a vocabulary")
    baseline = work.experiment.baseline
    if baseline is None or not work.outcomes:
        return
    if all(outcome.system.name != baseline for outcome in work.outcomes):
        work.failures.note(f"the baseline {baseline} has no results: nothing is compared with it")
