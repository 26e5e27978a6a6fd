"""Run an experiment: every system learned, segmented, scored, and compared with the baseline."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tokbench.api import CountedWords, SystemMetric, TrainingMetric
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora, Training
from tokbench.corpora.words import TrainingText, training_words
from tokbench.errors import DeadWorkerError, UsageError
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.run_folder import Run
from tokbench.run_folder.tables import GrowthRow
from tokbench.runner.again import on_shares, repeated, sampled
from tokbench.runner.analysing import Tables, analyses_of
from tokbench.runner.assemble import assemble
from tokbench.runner.copies import side_by_side
from tokbench.runner.finished import FinishedJobs, JobsOfRun
from tokbench.runner.learning import too_small
from tokbench.runner.named import with_named
from tokbench.runner.outcome import SystemResult
from tokbench.runner.system import Progress, run_system
from tokbench.runner.unseen import growth_rows
from tokbench.score.resample import MINIMUM_UNITS
from tokbench.score.test_set import TestSet, documents_of
from tokbench.sizes.statistics import size_statistics
from tokbench.workers.process import temporary_folder

SHOWN_FEW = 6


class RanSystems(NamedTuple):
    """The results of all systems by name, with the test sets, and what else `assemble` takes."""

    tests: Sequence[TestSet]
    systems: Mapping[str, SystemResult]
    issues: Sequence[Issue]
    growth: Sequence[GrowthRow]
    tables: Tables


def execute(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    progress: Progress,
    finished: FinishedJobs | None = None,
) -> Run:
    """Run every system of an experiment on its corpora; a failing system costs only itself.

    What is `finished` is not done again, and what is done is kept there.
    """
    with ExitStack() as stack:
        stack.callback(registry.end_workers)
        folder = None
        if finished is None and experiment.jobs > 1:  # what copies of this process leave for it
            folder = Path(stack.enter_context(TemporaryDirectory(dir=temporary_folder())))
        ran = run_systems(experiment, corpora, registry, progress, finished or FinishedJobs(folder))
        return assemble(experiment, corpora, registry, *ran)


def run_systems(
    experiment: Experiment,
    corpora: Corpora,
    registry: Registry,
    progress: Progress,
    finished: FinishedJobs,
) -> RanSystems:
    """Run every system, and return what `assemble` makes a run of, with all resampled values."""
    check_documents(experiment, corpora)
    registry = registry.isolated(experiment.isolation, experiment.limits)
    drawn = (experiment.resamples, experiment.seed, experiment.resample_by)
    tests = [TestSet.prepare(test, *drawn) for test in corpora.tests]
    learning = {
        named.name: named.metric.columns
        for named in experiment.metrics
        if isinstance(named.metric, TrainingMetric) and named.metric.columns
    }
    analyses, unbuilt = analyses_of(registry, learning)
    tables = {name: one.columns for name, one in analyses.items()} | learning
    jobs = JobsOfRun(finished, experiment, corpora, registry)
    run = partial(
        run_system,
        jobs=jobs,
        analyses=analyses,
        metrics={
            named.name: named.metric
            for named in experiment.metrics
            if not isinstance(named.metric, SystemMetric)
        },
        registry=registry,
    )
    samples = attempt(Location(part="training samples"), partial(_samples, experiment, corpora))
    shared = attempt(Location(part="training shares"), partial(_shares, experiment, corpora))
    shares = shared.value or []
    again = {share: text for share, _, text in shares if share < 1}
    systems = _Systems(experiment, corpora, tests, samples.value or (), again, jobs, run)
    ended: Mapping[str, tuple[Sequence[str], str]] = {}
    if experiment.jobs > 1:
        finished.all_kept = True
        in_copies = {one.name: partial(systems.taken, one) for one in experiment.systems}
        ended = side_by_side(in_copies, experiment.jobs, progress)
        finished.taken.update(*(taken for taken, _ in ended.values()))
    results: dict[str, SystemResult] = {}
    for number, system in enumerate(experiment.systems):
        where = Location(system.name)
        if how := ended.get(system.name, ((), ""))[1]:
            died = DeadWorkerError(f"its process ended without a result: {how}")
            found = SystemResult(issues=(Issue.of(died, where),))
        else:
            found = systems.result(system, _part(progress, number, len(experiment.systems)))
        registry.end_workers(str(where))
        sized = attempt(where, partial(size_statistics, system.name, found.training_counts))
        rest = SystemResult(sizes=sized.value or (), issues=sized.issues)
        results[system.name] = SystemResult.joined([found, rest])
    compared = with_named(results, tests, experiment)
    few = [*_few_units(tests, experiment), *_few_pairs(tests)]
    growth = [row for share in shares for test in tests for row in growth_rows(*share[:2], test)]
    issues = [*unbuilt, *samples.issues, *shared.issues, *few]
    return RanSystems(tests, compared, issues, growth, tables)


@dataclass(frozen=True)
class _Systems:
    """What all systems share: the texts, and how to `run` one of them."""

    experiment: Experiment
    corpora: Corpora
    tests: Sequence[TestSet]
    samples: Sequence[TrainingText]
    shares: Mapping[float, TrainingText]
    jobs: JobsOfRun
    run: Callable[..., SystemResult]

    def result(self, system: System, progress: Progress) -> SystemResult:
        """Learn a system as often as the config asks for, and score it; a failure is an issue."""
        systems = self.experiment.systems
        place = f" (system {1 + systems.index(system)} of {len(systems)})"
        say = _part(progress, 0, 1, after=place)
        done = attempt(Location(system.name), partial(self._learned, system, say))
        return done.value or SystemResult(issues=done.issues)

    def taken(self, system: System, progress: Progress) -> Sequence[str]:
        """Leave the result of a system to be found; return which of an earlier run were taken."""
        self.result(system, progress)
        return [*self.jobs.finished.taken]

    def _learned(self, system: System, say: Progress) -> SystemResult:
        text = partial(_text, self.corpora.train, system)
        repeats = 0 if system.learner.deterministic else self.experiment.repeats - 1
        drawn = self.samples[: system.training_samples]
        texts = self.shares if system.learner.reads != "nothing" else {}
        rounds, many = count(), 1 + repeats + len(drawn) + len(texts)
        first = self._once(system, text, self.tests, _part(say, next(rounds), many))
        # Where nothing exists there is no spread.
        existing = dict.fromkeys(key.size for key in first.outcomes if key.size is not None)
        fewer = replace(system, sizes=tuple(existing), span=None)

        def again(
            told: str,
            text: Callable[[], TrainingText] = text,
            tests: Sequence[TestSet] = self.tests,
            **which: float,
        ) -> SystemResult:
            said = _part(say, next(rounds), many, instead=f"{system.name}: {told}")
            return self._once(fewer, text, tests, said, **which)

        parts = [first]
        if missing := [size for size in system.sizes if size not in existing]:
            parts.append(SystemResult(issues=tuple(too_small(system, text().words, missing))))
        if not system.learner.deterministic and first.outcomes:
            parts += repeated(again, system, self.experiment.repeats)
        if drawn and first.outcomes:
            without_intervals = [test.without_resamples() for test in self.tests]
            parts.append(sampled(partial(again, tests=without_intervals), system, drawn, first))
        if first.outcomes:
            parts += on_shares(again, system, texts)
        return SystemResult.joined(parts)

    def _once(
        self,
        system: System,
        text: Callable[[], TrainingText],
        tests: Sequence[TestSet],
        say: Progress,
        **which: float,
    ) -> SystemResult:
        """Learn and score once, unless that is finished; `which` is a share, repeat or sample."""

        def job() -> SystemResult:
            return self.run(system, text(), tests=tests, progress=say, **which)

        return self.jobs.score(system, [[*map(str, system.sizes)], which], job)


def _part(
    progress: Progress, number: int, many: int, instead: str = "", after: str = ""
) -> Progress:
    """Return the progress of one of many parts of the work; its shares become those of all."""
    return lambda text, share: progress(f"{instead or text}{after}", (number + share) / many)


def check_documents(experiment: Experiment, corpora: Corpora) -> None:
    """Raise ConfigError if a text has too few documents to be resampled by them."""
    texts = corpora.tests[: len(experiment.tests)] if experiment.resample_by == "document" else ()
    for test in texts:
        try:
            documents_of(test)
        except UsageError as error:
            raise experiment.wrong_resampling(str(error)) from None


def _text(train: Training | None, system: System) -> TrainingText:
    """Return what a system learns from; a ready-made one may do without."""
    if train is None:
        return TrainingText({}, ())
    words = training_words(train.words, system.splitter)
    return TrainingText(words, train.lines, lambda: train.running_words)


def _samples(experiment: Experiment, corpora: Corpora) -> list[TrainingText]:
    """Draw as many training samples as the system with the most of them asks for."""
    many = max(system.training_samples for system in experiment.systems)
    if not many or corpora.train is None:
        return []
    # Few runs ask for them.
    from tokbench.corpora.resampled import training_samples

    return [*training_samples(corpora.train, many, experiment.seed)]


def _shares(
    experiment: Experiment, corpora: Corpora
) -> list[tuple[float, CountedWords, TrainingText]]:
    """Return the shares of the training text that the config asks for."""
    if not experiment.training_shares or corpora.train is None:
        return []
    from tokbench.corpora.resampled import training_shares

    return [*training_shares(corpora.train, experiment.training_shares, experiment.seed)]


def _few_pairs(tests: Sequence[TestSet]) -> Iterator[Issue]:
    """Note once for all corpora which kinds of pairs change too few words to be resampled."""
    few = [
        f"{subset} of {test.corpus.name} ({units})"
        for test in tests
        if test.corpus.kind == "pairs"
        for subset in test.subsets
        if (units := test.units["line", subset]) < MINIMUM_UNITS
    ]
    if few:
        cause = (
            f"no intervals and no p-values where fewer than {MINIMUM_UNITS} words are changed, or "
            f"words of fewer lines: {', '.join(few)}"
        )
        yield Issue("note", cause, Location(part="corpora.pairs"))


def _few_units(tests: Sequence[TestSet], experiment: Experiment) -> Iterator[Issue]:
    """Note once which subsets of corpora, but for groups, are too few to resample."""
    noted = []
    for test in (test for test in tests if test.corpus.kind != "pairs"):
        applied = (
            named.metric for named in experiment.metrics if test.applies(named.metric, "all")
        )
        units = {metric.unit for metric in applied}
        units -= {"word"} if test.corpus.kind == "text" else set()
        few = [
            f"{subset} ({test.units[unit, subset]} {unit}s)"
            for subset in test.main_subsets
            for unit in sorted(units)
            if test.units[unit, subset] < MINIMUM_UNITS
        ]
        if few:
            more = f", and {len(few) - SHOWN_FEW} more" if len(few) > SHOWN_FEW else ""
            noted.append(f"{test.corpus.name}: {', '.join(few[:SHOWN_FEW])}{more}")
    if noted:
        what = f"no intervals and no p-values where there are fewer than {MINIMUM_UNITS} units: "
        yield Issue("note", f"{what}{'; '.join(noted)}", Location(part="corpora"))
