"""Run an experiment: every system learned, segmented, scored, and compared with the baseline."""

from tokbench.config import Experiment
from tokbench.corpora.load import Corpora
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.runner.assemble import assemble
from tokbench.runner.bench import Bench
from tokbench.runner.failures import Failures
from tokbench.runner.serving import run_system
from tokbench.runner.work import Progress, Work
from tokbench.stats import MINIMUM_UNITS

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
    return assemble(
        experiment,
        corpora,
        registry,
        benches=benches,
        outcomes=work.outcomes,
        learned=work.learned,
        timelines=work.timelines,
        curves=work.curves,
        sizes=work.sizes,
        repeated=work.repeated,
        costs=work.book.costs,
        notes=[*work.failures.notes],
        failures=work.failures.failures,
    )


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
