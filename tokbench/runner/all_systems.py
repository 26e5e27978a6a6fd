"""What all systems of an experiment share, and how one of them is learned as often as asked.

That is once, again where learning varies, and from samples and shares of the training text.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

from tokbench.api import TrainingMetric
from tokbench.api.arrays import CountedWords
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora, TestCorpus, Training
from tokbench.corpora.words import TrainingText, training_words
from tokbench.errors import UsageError
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.plugins.calls import SPEED, label_of
from tokbench.printing import counted
from tokbench.run_folder.record import Cost
from tokbench.runner.analysing import Analyses, Tables, analyses_of
from tokbench.runner.cache import Cache
from tokbench.runner.cached_work import CachedWork, check_unchanged
from tokbench.runner.learning import too_small
from tokbench.runner.one_system import ForeignSegmenterError, Progress, SystemRun, is_reached
from tokbench.runner.results import SystemResult
from tokbench.score.resample import groups
from tokbench.score.test_set import (
    MINIMUM_DOCUMENTS,
    TestSet,
    has_documents,
)
from tokbench.significance import MINIMUM_UNITS

SHOWN_FEW = 6


@dataclass(frozen=True)
class Systems:
    """What all systems share: the texts, metrics and analyses, and how one of them is run.

    `shares` are the shares of the training text, `issues` what went wrong before any system.
    """

    experiment: Experiment
    corpora: Corpora
    registry: Registry
    work: CachedWork
    tests: Sequence[TestSet]
    samples: Sequence[TrainingText]
    shares: Sequence[tuple[float, CountedWords, TrainingText]]
    analyses: Analyses
    tables: Tables
    issues: Sequence[Issue]
    without: Container[str] = ()

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        corpora: Corpora,
        registry: Registry,
        cache: Cache,
        code: str = "",
    ) -> "Systems":
        """Prepare what all systems share; `code` is for `CachedWork`."""
        by, length = experiment.resample_by, experiment.block_length
        draw = partial(
            TestSet.prepare,
            resamples=experiment.resamples,
            seed=experiment.seed,
            by=by,
            length=length,
        )
        learning = {
            named.name: named.metric.columns
            for named in experiment.metrics
            if isinstance(named.metric, TrainingMetric) and named.metric.columns
        }
        analyses, unbuilt = analyses_of(registry, learning)
        samples = attempt(Location(part="training samples"), partial(_samples, experiment, corpora))
        shared = attempt(Location(part="training shares"), partial(_shares, experiment, corpora))
        return cls(
            experiment=experiment,
            corpora=corpora,
            registry=registry,
            work=CachedWork(cache, experiment, corpora, registry, code),
            tests=[*map(draw, corpora.tests)],
            samples=samples.value or (),
            shares=shared.value or (),
            analyses=analyses,
            tables={name: one.columns for name, one in analyses.items()} | learning,
            issues=[*unbuilt, *samples.issues, *shared.issues],
        )

    def result(
        self, system: System, progress: Progress, without: Container[str] = ()
    ) -> SystemResult:
        """Learn a system as often as the config asks for, and score it; a failure is an issue.

        It is done `without` some metrics and analyses, such as `metric fertility`. Raises
        ForeignSegmenterError where it cannot be run in this process.
        """
        systems_without = replace(self, without=without)
        done = attempt(Location(system.name), partial(systems_without._learned, system, progress))
        if isinstance(done.error, ForeignSegmenterError):
            raise done.error
        return done.value or SystemResult(issues=done.issues)

    def _learned(self, system: System, say: Progress) -> SystemResult:
        text = partial(_text, self.corpora.train, system)
        repeats = 0 if system.learner.deterministic else self.experiment.repeats - 1
        drawn = self.samples[: system.training_samples]
        texts = {share: text for share, _, text in self.shares if share < 1}
        if system.learner.reads == "nothing":
            texts = {}
        rounds, many = count(), 1 + repeats + len(drawn) + len(texts)
        first = self._once(system, text, self.tests, part_of(say, next(rounds), many))
        # Where nothing exists there is no spread.
        existing = dict.fromkeys(key.size for key in first.outcomes if key.size is not None)
        fewer = replace(system, sizes=tuple(existing), span=None)

        def run_again(
            shown: str,
            text: Callable[[], TrainingText] = text,
            tests: Sequence[TestSet] = self.tests,
            **which: float,
        ) -> SystemResult:
            say_instead = part_of(say, next(rounds), many, instead=shown)
            return self._once(fewer, text, tests, say_instead, **which)

        parts = [first]
        if missing := [size for size in system.sizes if size not in existing]:
            parts.append(SystemResult(issues=tuple(too_small(system, text().words, missing))))
        if not system.learner.deterministic and first.outcomes:
            parts += repeated(run_again, system, self.experiment.repeats)
        if drawn and first.outcomes:
            without_intervals = [test.without_resamples() for test in self.tests]
            parts.append(sampled(partial(run_again, tests=without_intervals), system, drawn, first))
        if first.outcomes:
            parts += on_shares(run_again, system, texts)
        return SystemResult.joined(parts)

    def _once(
        self,
        system: System,
        text: Callable[[], TrainingText],
        tests: Sequence[TestSet],
        say: Progress,
        **which: Any,
    ) -> SystemResult:
        """Learn and score once; `which` is a share, repeat or sample."""
        run = SystemRun(
            system,
            text(),
            work=self.work,
            tests=tests,
            metrics={
                named.name: named.metric
                for named in self.experiment.metrics
                if "system" not in named.metric.needs
                and label_of(f"metric {named.name}") not in self.without
            },
            analyses={
                name: analysis
                for name, analysis in self.analyses.items()
                if label_of(f"analysis {name}") not in self.without
            },
            registry=self.registry,
            progress=say,
            without_speed=SPEED in self.without,
            **which,
        )
        result = run.result()
        check_unchanged([*system.parts, *self.experiment.shared_parts])
        return result


def part_of(progress: Progress, number: int, many: int, instead: str = "") -> Progress:
    """Return the progress of one of many parts of the work; its shares become those of all."""
    return lambda text, share: progress(instead or text, (number + share) / many)


def check_blocks(experiment: Experiment, corpora: Corpora) -> None:
    """Raise UsageError if a text has fewer lines, or groups of them, than a block should have."""
    length = experiment.block_length
    for test in corpora.tests:
        lines = len(test.words.lines) - 1
        units = len(groups(lines)) - 1
        if length is not None and test.kind == "text" and length > units:
            what = "lines" if units == lines else "groups of lines"
            raise UsageError(
                f"{experiment.path}: block-length: {length:,} is more than the {units:,} {what} of "
                f"{test.name}"
            )


def few_documents(tests: Sequence[TestCorpus], experiment: Experiment) -> Iterator[Issue]:
    """Note which texts have too few documents to be resampled by them."""
    if experiment.resample_by != "document":
        return
    few = [test.name for test in tests if test.kind == "text" and not has_documents(test)]
    if few:
        cause = (
            f"fewer than {MINIMUM_DOCUMENTS} documents in {', '.join(few)}, so blocks of lines are "
            "drawn; with `documents: blocks` each part between blank lines is a document"
        )
        yield Issue("note", cause, Location(part="resample-by"))


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
    from tokbench.corpora.drawing import training_samples

    return [*training_samples(corpora.train, many, experiment.seed)]


def _shares(
    experiment: Experiment, corpora: Corpora
) -> list[tuple[float, CountedWords, TrainingText]]:
    """Return the shares of the training text that the config asks for."""
    if not experiment.training_shares or corpora.train is None:
        return []
    from tokbench.corpora.drawing import training_shares

    return [*training_shares(corpora.train, experiment.training_shares, experiment.seed)]


def few_pairs(tests: Sequence[TestSet]) -> Iterator[Issue]:
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


def few_units(tests: Sequence[TestSet], experiment: Experiment) -> Iterator[Issue]:
    """Note once which subsets of corpora, but for groups, are too few to resample."""
    noted = []
    for test in (test for test in tests if test.corpus.kind != "pairs"):
        applied = (
            named.metric for named in experiment.metrics if test.applies(named.metric, "all")
        )
        units = {metric.unit for metric in applied}
        units -= {"word"} if test.corpus.kind == "text" else set()
        few = [
            f"{subset} ({counted(test.units[unit, subset], unit)})"
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


RunAgain = Callable[..., SystemResult]
"""Runs a system again; `shown` is the progress message while it learns."""


def repeated(run: RunAgain, system: System, times: int) -> Iterator[SystemResult]:
    """Run a system again whose learner is not deterministic; only values and issues are kept."""
    what = "its learner is not deterministic, "
    if times == 1:
        what += "and was run once (`repeats: 1`): the spread of its values is not known"
    else:
        what += f"so it is run {times} times; values are those of the first run, `repeat-sd` is "
        what += "their spread"
    yield SystemResult(issues=(Issue("note", what, Location(system.name)),))
    for repeat in range(1, times):
        result = run(f"learning again ({repeat + 1} of {times})", repeat=repeat)
        values = {key: outcome.values for key, outcome in result.outcomes.items()}
        yield SystemResult(repeated=values, issues=result.issues)


def sampled(
    run: RunAgain, system: System, samples: Sequence[TrainingText], first: SystemResult
) -> SystemResult:
    """Run a system on each training sample; only values, costs and issues are kept.

    What happened in the `first` run already is not said again, and what happens in several samples
    is said once.
    """
    parts: list[SystemResult] = []
    met: dict[tuple[Location, str, bool], list[Issue]] = {}
    for sample, text in enumerate(samples, start=1):
        result = run(
            f"learning from training sample {sample} of {len(samples)}",
            text=partial(_split, text, system),
            sample=sample,
        )
        costs = (_summed(system, f"training sample {sample}", result.costs),)
        values = {key: outcome.values for key, outcome in result.outcomes.items()}
        parts.append(SystemResult(sampled=values, costs=costs))
        for issue in result.issues:
            met.setdefault((issue.where, issue.corpus, issue.failed), []).append(issue)
    for issue in first.issues:
        met.pop((issue.where, issue.corpus, issue.failed), None)
    summed = tuple(
        replace(
            issue,
            where=replace(
                issue.where, run=f"in {1 + len(more)} of {len(samples)} training samples"
            ),
        )
        for issue, *more in met.values()
    )
    return SystemResult.joined([*parts, SystemResult(issues=summed)])


def _summed(system: System, step: str, costs: Sequence[Cost]) -> Cost:
    """Sum what a run cost: another process may have done it, or one that was stopped."""
    seconds = sum(cost.seconds for cost in costs)
    cached = any(cost.cached for cost in costs)
    peak = max((cost.peak_mb for cost in costs if cost.peak_mb is not None), default=None)
    return Cost(system.name, step, "", seconds, peak, cached)


def _split(text: TrainingText, system: System) -> TrainingText:
    return replace(text, words=training_words(text.words, system.splitter))


def on_shares(
    run: RunAgain, system: System, texts: Mapping[float, TrainingText]
) -> Iterator[SystemResult]:
    """Run a system on shares of the training text; tokens are not kept.

    A size for which a share is too little text is left out: it could not be compared.
    """
    for share, text in texts.items():
        label = f"training-share {share:g}"
        result = run(f"learning from {label}", text=partial(_split, text, system), share=share)
        reached = {
            key: replace(outcome, segmentations={})
            for key, outcome in result.outcomes.items()
            if is_reached(key.size, outcome.vocabulary)
        }
        digits = f"{share:.15f}".rstrip("0")  # digits alone, also where the share is tiny
        yield SystemResult(
            vocabularies={
                f"%{digits}{size}": vocabulary for size, vocabulary in result.vocabularies.items()
            },
            shares=reached,
            costs=(_summed(system, label, result.costs),),
            issues=tuple(
                replace(
                    issue,
                    kind="left out" if issue.kind == "not reached" else issue.kind,
                    where=replace(issue.where, run=label),
                )
                for issue in result.issues
            ),
        )
