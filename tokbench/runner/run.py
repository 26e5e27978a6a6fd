"""Run an experiment: every system learned, segmented, scored, and compared with the baseline."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from tokbench.api import Segmenter, Vocabulary
from tokbench.api.component import Use
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.corpora.words import training_words
from tokbench.errors import TokbenchError
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.run_folder.tables import SizeStatistics
from tokbench.runner.assemble import assemble
from tokbench.runner.issues import Issue, attempt
from tokbench.runner.learning import TrainingText
from tokbench.runner.outcome import Outcome, SystemResult
from tokbench.runner.rows import Repeated, values_of
from tokbench.runner.system import Progress, run_system
from tokbench.score.resample import MINIMUM_UNITS
from tokbench.score.test_set import TestSet
from tokbench.sizes.statistics import size_statistics

SHOWN_FEW = 6


def execute(
    experiment: Experiment, corpora: Corpora, registry: Registry, progress: Progress
) -> Run:
    """Run every system of an experiment on its corpora; a failing system costs only itself."""
    tests = tuple(
        TestSet.prepare(test, experiment.resamples, experiment.seed) for test in corpora.tests
    )
    issues = [issue for test in tests for issue in _few_units(test, experiment)]
    results: dict[str, SystemResult] = {}
    repeated: list[Repeated] = []
    counted: list[SizeStatistics] = []
    for system in experiment.systems:
        run = partial(_learned_and_repeated, experiment, corpora, registry, progress, tests, system)
        done = attempt(f"system {system.name}", run)
        issues += done.issues
        if done.value is not None:
            results[system.name], values = done.value
            issues += results[system.name].issues
            repeated += values
            job = partial(size_statistics, system.name, results[system.name].training_counts)
            sized = attempt(f"system {system.name}", job)
            issues += sized.issues
            counted += sized.value or ()
    outcomes = [outcome for result in results.values() for outcome in result.outcomes.values()]
    issues += _missing(experiment, outcomes)
    return assemble(experiment, corpora, registry, tests, results, repeated, counted, issues)


def _learned_and_repeated(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    progress: Progress,
    tests: Sequence[TestSet],
    system: System,
) -> tuple[SystemResult, list[Repeated]]:
    """Run a system, and again if its learner is not deterministic; only values are kept."""
    train, deterministic = corpora.train, system.learner.deterministic
    text = TrainingText(training_words(train.words, system.splitter), train.lines)
    metrics = {named.name: named.metric for named in experiment.metrics}
    build = _segmenter_builder(registry)
    first = run_system(system, text, tests, metrics, build, progress)
    if deterministic or not first.outcomes:
        return first, []
    # Where nothing exists there is no spread.
    existing = tuple(dict.fromkeys(key.size for key in first.outcomes if key.size is not None))
    again = replace(system, sizes=existing)
    parts = [first, SystemResult(issues=(_repeats_note(system, experiment.repeats),))]
    values: list[Repeated] = []
    for repeat in range(1, experiment.repeats):
        progress(f"{system.name}: learning again ({repeat + 1})")
        found = run_system(again, text, tests, metrics, build, progress, repeat=repeat)
        values += values_of(found.outcomes.values())
        parts.append(SystemResult(issues=found.issues))
    return SystemResult.joined(parts), values


def _repeats_note(system: System, times: int) -> Issue:
    what = f"system {system.name}: its learner is not deterministic, "
    if times == 1:
        what += "and was run once (`repeats: 1`): the spread of its values is not known"
    else:
        what += f"so it is run {times} times; values are those of the first run, `repeat-sd` is "
        what += "their spread"
    return Issue.note(what)


def _segmenter_builder(
    registry: Registry,
) -> Callable[[System, Vocabulary], tuple[str, Segmenter]]:
    """Return a function that builds a system's own segmenter, or the one a vocabulary names."""

    def build(system: System, vocabulary: Vocabulary) -> tuple[str, Segmenter]:
        if system.segmenter is not None and system.segmenter_name is not None:
            return system.segmenter_name, system.segmenter
        if "use" not in vocabulary.segmenter:
            raise TokbenchError("its vocabulary names no segmenter: give the system a `segmenter`")
        use = Use.model_validate(dict(vocabulary.segmenter))
        segmenter = registry.build("segmenter", use)
        assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
        return use.use, segmenter

    return build


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
        yield Issue.note(
            f"corpus {test.corpus.name}: no intervals and no p-values where there are fewer than "
            f"{MINIMUM_UNITS} units: {', '.join(few[:SHOWN_FEW])}{more}"
        )


def _missing(experiment: Experiment, outcomes: Sequence[Outcome]) -> Iterator[Issue]:
    """Note what a reader would look for in vain: results at all, and a baseline's."""
    if not outcomes:
        yield Issue.note("nothing was scored: no system has a vocabulary")
    baseline = experiment.baseline
    if baseline is None or not outcomes:
        return
    if all(outcome.system.name != baseline for outcome in outcomes):
        yield Issue.note(f"the baseline {baseline} has no results: nothing is compared with it")
