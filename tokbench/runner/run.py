"""Run an experiment: every system learned, segmented, scored, and compared with the baseline."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.corpora.words import TrainingText, training_words
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.runner.assemble import assemble
from tokbench.runner.issues import Issue, attempt, where
from tokbench.runner.outcome import SystemResult
from tokbench.runner.system import Progress, run_system
from tokbench.score.resample import MINIMUM_UNITS
from tokbench.score.test_set import TestSet
from tokbench.sizes.statistics import size_statistics

SHOWN_FEW = 6


def execute(
    experiment: Experiment, corpora: Corpora, registry: Registry, progress: Progress
) -> Run:
    """Run every system of an experiment on its corpora; a failing system costs only itself."""
    tests = [TestSet.prepare(test, experiment.resamples, experiment.seed) for test in corpora.tests]
    run = partial(
        run_system,
        tests=tests,
        metrics={named.name: named.metric for named in experiment.metrics},
        registry=registry,
        progress=progress,
    )

    def learned_and_repeated(system: System) -> SystemResult:
        train = corpora.train
        text = TrainingText(training_words(train.words, system.splitter), train.lines)
        first = run(system, text)
        if system.learner.deterministic or not first.outcomes:
            return first
        # Where nothing exists there is no spread.
        existing = dict.fromkeys(key.size for key in first.outcomes if key.size is not None)
        again = partial(run, replace(system, sizes=tuple(existing)), text)
        parts = _repeated(again, system, experiment.repeats, progress)
        return SystemResult.joined([first, *parts])

    results: dict[str, SystemResult] = {}
    for system in experiment.systems:
        here = where(system)
        done = attempt(here, partial(learned_and_repeated, system))
        found = done.value or SystemResult(issues=done.issues)
        sized = attempt(here, partial(size_statistics, system.name, found.training_counts))
        rest = SystemResult(sizes=sized.value or (), issues=sized.issues)
        results[system.name] = SystemResult.joined([found, rest])
    few = [issue for test in tests for issue in _few_units(test, experiment)]
    return assemble(experiment, corpora, registry, tests, results, few)


def _repeated(
    run: Callable[..., SystemResult], system: System, times: int, progress: Progress
) -> Iterator[SystemResult]:
    """Run a system again whose learner is not deterministic; only values and issues are kept."""
    what = "its learner is not deterministic, "
    if times == 1:
        what += "and was run once (`repeats: 1`): the spread of its values is not known"
    else:
        what += f"so it is run {times} times; values are those of the first run, `repeat-sd` is "
        what += "their spread"
    yield SystemResult(issues=(Issue(where(system), what),))
    for repeat in range(1, times):
        progress(f"{system.name}: learning again ({repeat + 1})")
        found = run(repeat=repeat)
        values = {key: outcome.values for key, outcome in found.outcomes.items()}
        yield SystemResult(repeated=values, issues=found.issues)


def _few_units(test: TestSet, experiment: Experiment) -> Iterator[Issue]:
    """Note once for each corpus which of its subsets are too small to be resampled."""
    units = {named.metric.unit for named in experiment.metrics if test.applies(named.metric, "all")}
    few = [
        f"{subset} ({test.units[unit, subset]} {unit}s)"
        for subset in test.subsets
        for unit in sorted(units)
        if test.units[unit, subset] < MINIMUM_UNITS
    ]
    if few:
        more = f", and {len(few) - SHOWN_FEW} more" if len(few) > SHOWN_FEW else ""
        what = f"no intervals and no p-values where there are fewer than {MINIMUM_UNITS} units: "
        yield Issue(f"corpus {test.corpus.name}", f"{what}{', '.join(few[:SHOWN_FEW])}{more}")
