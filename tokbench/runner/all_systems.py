"""What all systems of an experiment share, and how one of them is learned as often as asked.

That is once, again where learning varies, and from samples and shares of the training text.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from tokbench.api import TrainingMetric
from tokbench.api.arrays import CountedWords
from tokbench.config import Experiment, System
from tokbench.config.document import read_config
from tokbench.config.problems import Problem
from tokbench.corpora.drawing import training_samples, training_shares
from tokbench.corpora.load import Corpora, TestCorpus
from tokbench.corpora.words import TrainingText, training_words
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.plugins.calls import SPEED, label_of
from tokbench.printing import counted
from tokbench.run_folder.record import Cost
from tokbench.runner.analysing import Analyses, Tables, analyses_of
from tokbench.runner.cache import Cache
from tokbench.runner.cached_work import CachedWork, check_unchanged
from tokbench.runner.comparing import with_named
from tokbench.runner.learning import too_small
from tokbench.runner.one_system import Progress, SystemRun, is_reached
from tokbench.runner.results import Key, SystemResult, Values
from tokbench.score.resample import groups
from tokbench.score.test_set import MINIMUM_DOCUMENTS, TestSet, has_documents
from tokbench.significance import MINIMUM_UNITS
from tokbench.sizes.statistics import size_statistics

SHOWN_FEW = 6
NO_TEXT = TrainingText({}, ())
"""What ready-made systems may do with."""


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
        cls, experiment: Experiment, corpora: Corpora, registry: Registry, cache: Cache
    ) -> "Systems":
        """Prepare what all systems share."""
        draw = partial(
            TestSet.prepare,
            resamples=experiment.resamples,
            seed=experiment.seed,
            by=experiment.resample_by,
            length=experiment.block_length,
        )
        learning = {
            named.name: named.metric.columns
            for named in experiment.metrics
            if isinstance(named.metric, TrainingMetric) and named.metric.columns
        }
        analyses, unbuilt = analyses_of(registry, learning)
        train, seed, shares = corpora.train, experiment.seed, experiment.training_shares
        many = max(system.training_samples for system in experiment.systems)
        samples = attempt(
            Location(part="training samples"),
            lambda: [*training_samples(train, many, seed)] if train and many else [],
        )
        shared = attempt(
            Location(part="training shares"),
            lambda: [*training_shares(train, shares, seed)] if train and shares else [],
        )
        return cls(
            experiment=experiment,
            corpora=corpora,
            registry=registry,
            work=CachedWork(cache, experiment, corpora, registry),
            tests=[*map(draw, corpora.tests)],
            samples=samples.value or (),
            shares=shared.value or (),
            analyses=analyses,
            tables={name: analysis.columns for name, analysis in analyses.items()} | learning,
            issues=[*unbuilt, *samples.issues, *shared.issues],
        )

    def result(
        self, system: System, progress: Progress, without: Container[str] = ()
    ) -> SystemResult:
        """Learn a system as often as the config asks for, and score it; a failure is an issue.

        It is done `without` some metrics and analyses, such as `metric fertility`.
        """
        left = replace(self, without=without)
        done = attempt(Location(system.name), partial(left._learned, system, progress))
        return done.value or SystemResult(issues=done.issues)

    def compared(
        self, results: Mapping[str, SystemResult], without: Container[str] = ()
    ) -> Mapping[str, SystemResult]:
        """Return the results, by system, with the values of metrics that name a system."""
        metrics = {
            named.name: named.metric
            for named in self.experiment.metrics
            if "system" in named.metric.needs and label_of(f"metric {named.name}") not in without
        }
        return with_named(results, self.tests, metrics, self.experiment.gate)

    def _learned(self, system: System, say: Progress) -> SystemResult:
        train = self.corpora.train
        words = training_words(train.words, system.splitter) if train else {}
        text = TrainingText(words, train.lines, lambda: train.running_words) if train else NO_TEXT
        many = 1 + sum(map(len, self._further(system)))
        first = self._once(system, text, self.tests, part_of(say, 0, many))
        # Where nothing exists there is no spread.
        existing = dict.fromkeys(key.size for key in first.outcomes if key.size is not None)
        fewer = replace(system, sizes=tuple(existing), span=None)
        sizes = size_statistics(system.name, first.training_counts)
        parts = [first, SystemResult(sizes=tuple(sizes))]
        if missing := [size for size in system.sizes if size not in existing]:
            parts.append(SystemResult(issues=tuple(too_small(system, words, missing))))
        if first.outcomes:
            parts += self._learned_again(fewer, text, first, say, many)
        return SystemResult.joined(parts)

    def _further(
        self, system: System
    ) -> tuple[range, Sequence[TrainingText], Mapping[float, TrainingText]]:
        """Return the numbers of repeats, and the samples and shares that are learned from."""
        repeats = 1 if system.learner.deterministic else self.experiment.repeats
        reads = system.learner.reads != "nothing"
        shares = {share: text for share, _, text in self.shares if share < 1 and reads}
        return range(2, 1 + repeats), self.samples[: system.training_samples], shares

    def _learned_again(
        self, system: System, text: TrainingText, first: SystemResult, say: Progress, many: int
    ) -> Iterator[SystemResult]:
        """Learn a system again, as often as the config asks for; `many` are all learning runs."""
        repeats, samples, shares = self._further(system)
        rounds = count(1)

        def run_again(
            run: str, text: TrainingText, tests: Sequence[TestSet], of: str = "", share: float = 1.0
        ) -> SystemResult:
            shown = part_of(say, next(rounds), many, instead=f"learning {run}{of}")
            return self._once(system, text, tests, shown, run, share)

        def split(text: TrainingText) -> TrainingText:
            return replace(text, words=training_words(text.words, system.splitter))

        repeated, sampled = list[Mapping[Key, Values]](), list[Mapping[Key, Values]]()
        if not system.learner.deterministic:
            yield SystemResult(issues=(_varies(system, self.experiment.repeats),))
        for repeat in repeats:
            result = run_again(f"again ({repeat} of {repeats[-1]})", text, self.tests)
            repeated.append(_values(result))
            yield SystemResult(issues=result.issues)
        # The same thing may happen in each of many samples.
        reported = {(issue.where, issue.corpus, issue.failed) for issue in first.issues}
        without_intervals = [test.without_resamples() for test in self.tests]
        for number, sample in enumerate(samples, start=1):
            source, of = f"training sample {number}", f" of {len(samples)}"
            result = run_again(f"from {source}", split(sample), without_intervals, of)
            sampled.append(_values(result))
            new = [i for i in result.issues if (i.where, i.corpus, i.failed) not in reported]
            reported |= {(issue.where, issue.corpus, issue.failed) for issue in new}
            yield _elsewhere(system, source, replace(result, issues=tuple(new)))
        for share, share_text in shares.items():
            source = f"training-share {share:g}"
            result = run_again(f"from {source}", split(share_text), self.tests, share=share)
            yield _on_share(system, source, share, result)
        outcomes = {
            key: replace(
                outcome,
                repeated=[values[key] for values in repeated if key in values],
                sampled={n: values[key] for n, values in enumerate(sampled, 1) if key in values},
            )
            for key, outcome in first.outcomes.items()
        }
        yield SystemResult(outcomes=outcomes)

    def _once(
        self,
        system: System,
        text: TrainingText,
        tests: Sequence[TestSet],
        say: Progress,
        run: str = "",
        share: float = 1.0,
    ) -> SystemResult:
        """Learn and score once; `run` names a learning run after the first."""
        system_run = SystemRun(
            system,
            text,
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
            share=share,
            run=run,
            without_speed=SPEED in self.without,
        )
        result = system_run.result()
        check_unchanged([*system.parts, *self.experiment.shared_parts])
        return result


def part_of(progress: Progress, number: int, many: int, instead: str = "") -> Progress:
    """Return the progress of one of many parts of the work; its shares become those of all."""
    return lambda text, share: progress(instead or text, (number + share) / many)


def check_blocks(experiment: Experiment, corpora: Corpora) -> None:
    """Raise ConfigError if a text has fewer lines, or groups of them, than a block should have."""
    length = experiment.block_length
    for test in corpora.tests:
        lines = len(test.words.lines) - 1
        units = len(groups(lines)) - 1
        if length is not None and test.kind == "text" and length > units:
            of_what = "lines" if units == lines else "groups of lines"
            what = f"{length:,} is more than the {units:,} {of_what} of {test.name}"
            config = read_config(experiment.path, experiment.text)
            raise config.error([Problem(("block-length",), what)])


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


def few_units(tests: Sequence[TestSet], experiment: Experiment) -> Iterator[Issue]:
    """Note once which subsets of corpora, but for groups, are too few to resample."""
    noted = []
    for test in tests:
        metrics = [named.metric for named in experiment.metrics]
        units = {metric.unit for metric in metrics if test.applies(metric, "all")}
        units -= {"word"} if test.corpus.kind == "text" else set()
        few = [
            f"{subset} ({counted(test.units[unit, subset], unit)})"
            for subset in (test.subsets if test.corpus.kind == "pairs" else test.main_subsets)
            for unit in sorted(units)
            if test.units[unit, subset] < MINIMUM_UNITS
        ]
        if few:
            more = f", and {len(few) - SHOWN_FEW} more" if len(few) > SHOWN_FEW else ""
            noted.append(f"{test.corpus.name}: {', '.join(few[:SHOWN_FEW])}{more}")
    if noted:
        what = f"no intervals and no p-values where there are fewer than {MINIMUM_UNITS} units: "
        yield Issue("note", f"{what}{'; '.join(noted)}", Location(part="corpora"))


def _varies(system: System, times: int) -> Issue:
    """Note that the learner of a system is not deterministic."""
    what = "its learner is not deterministic, "
    if times == 1:
        what += "and was run once (`repeats: 1`): the spread of its values is not known"
    else:
        what += f"so it is run {times} times; values are those of the first run, `repeat-sd` is "
        what += "their spread"
    return Issue("note", what, Location(system.name))


def _values(result: SystemResult) -> Mapping[Key, Values]:
    return {key: outcome.values for key, outcome in result.outcomes.items()}


def _elsewhere(system: System, source: str, result: SystemResult) -> SystemResult:
    """Return what a run from another text cost, as one sum, and its issues with that source."""
    costs = result.costs
    seconds = sum(cost.seconds for cost in costs)
    peak = max((cost.peak_mb for cost in costs if cost.peak_mb is not None), default=None)
    cost = Cost(system.name, source, "", seconds, peak, any(cost.cached for cost in costs))
    issues = (replace(issue, where=replace(issue.where, run=source)) for issue in result.issues)
    return SystemResult(costs=(cost,), issues=(*issues,))


def _on_share(system: System, source: str, share: float, result: SystemResult) -> SystemResult:
    """Return the vocabularies and outcomes of a run on a share of the text, without its tokens.

    A size for which a share is too little text is left out: it could not be compared.
    """
    part = _elsewhere(system, source, result)
    digits = f"{share:.15f}".rstrip("0")  # digits alone, also where the share is tiny
    return replace(
        part,
        vocabularies={f"%{digits}{size}": v for size, v in result.vocabularies.items()},
        shares={
            key: replace(outcome, segmentations={})
            for key, outcome in result.outcomes.items()
            if is_reached(key.size, outcome.vocabulary)
        },
        issues=tuple(
            replace(issue, kind="left out") if issue.kind == "not reached" else issue
            for issue in part.issues
        ),
    )
