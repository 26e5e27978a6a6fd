"""Run an experiment: learn once, segment distinct words once a size, count, score, compare."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tokbench.api import Segmentation, Segmenter, Size, Vocabulary
from tokbench.api.component import Use
from tokbench.config import Experiment, System
from tokbench.corpora.load import Corpora
from tokbench.errors import SizeError, TokbenchError
from tokbench.plugins import Registry
from tokbench.runner.bench import Bench
from tokbench.runner.cost import Cost, CostBook
from tokbench.runner.failures import Failures
from tokbench.runner.learning import learn, learning_runs, training_words
from tokbench.runner.results import Row, adjust, with_estimate
from tokbench.runner.scoring import Estimate, score
from tokbench.runner.segmenting import segment
from tokbench.runner.signature import signer
from tokbench.stats import MINIMUM_UNITS

Progress = Callable[[str], None]
SHOWN_FEW = 6


@dataclass(frozen=True, eq=False)
class Outcome:
    """One system at one size: its vocabulary, and for each corpus its tokens and estimates."""

    system: System
    segmenter_name: str
    size: Size | None
    vocabulary: Vocabulary
    segmentations: Mapping[str, Segmentation]
    estimates: Mapping[str, Mapping[tuple[str, str], Estimate]]

    @property
    def size_label(self) -> str:
        """The size as the results show it: empty for a learner without sizes."""
        return "" if self.size is None else str(self.size)


@dataclass(frozen=True, eq=False)
class Run:
    """All that a run found out; what is written to the run folder comes from here."""

    experiment: Experiment
    corpora: Corpora
    outcomes: tuple[Outcome, ...]
    learned: Mapping[str, Vocabulary]
    rows: tuple[Row, ...]
    costs: tuple[Cost, ...]
    notes: tuple[str, ...]
    failures: tuple[str, ...]


@dataclass(eq=False)
class _State:
    """What accumulates while the systems of an experiment run."""

    experiment: Experiment
    corpora: Corpora
    registry: Registry
    progress: Progress
    benches: tuple[Bench, ...]
    failures: Failures = field(default_factory=Failures)
    book: CostBook = field(default_factory=CostBook)
    learned: dict[str, Vocabulary] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)


def execute(
    experiment: Experiment, corpora: Corpora, registry: Registry, progress: Progress
) -> Run:
    """Run every system of an experiment on its corpora; a failing system costs only itself."""
    benches = tuple(
        Bench.prepare(test, experiment.resamples, experiment.seed) for test in corpora.tests
    )
    state = _State(experiment, corpora, registry, progress, benches)
    for bench in benches:
        _note_few_units(bench, experiment, state.failures)
    for system in experiment.systems:
        with state.failures.guard(f"system {system.name}"):
            _run_system(system, state)
    _note_missing(state)
    return Run(
        experiment=experiment,
        corpora=corpora,
        outcomes=tuple(state.outcomes),
        learned=state.learned,
        rows=tuple(adjust([row for outcome in state.outcomes for row in _rows(state, outcome)])),
        costs=tuple(state.book.costs),
        notes=tuple(state.failures.notes),
        failures=tuple(state.failures.failures),
    )


def _run_system(system: System, state: _State) -> None:
    words = training_words(state.corpora.train.words, system.splitter)
    for run in learning_runs(system):
        label = "" if run is None else str(run)
        state.progress(f"{system.name}: learning {label}".rstrip())
        prefix = run is None or system.learner.prefix_closed
        served = system.sizes if prefix and run is not None else (run,)
        with state.failures.guard(_where(system, run)):
            with state.book.measure(system.name, "learn", label):
                vocabulary = _learned(system, words, run, served, state.failures)
            if vocabulary is None:
                continue
            state.learned[system.name if prefix else f"{system.name}@{label}"] = vocabulary
            for size in served:
                with state.failures.guard(_where(system, size)):
                    cut = vocabulary.cut(size) if prefix and size is not None else vocabulary
                    state.outcomes.append(_outcome(system, size, cut, state))


def _learned(
    system: System,
    words: Mapping[str, int],
    run: Size | None,
    served: Sequence[Size | None],
    failures: Failures,
) -> Vocabulary | None:
    """Make one learning run; note for each size that it would have served why there is none."""
    try:
        return learn(system, words, run)
    except SizeError as error:
        for size in served:
            failures.note(
                f"{_where(system, size)}: left out: its smallest vocabulary has {error.minimum} "
                "tokens"
            )
        return None


def _outcome(system: System, size: Size | None, vocabulary: Vocabulary, state: _State) -> Outcome:
    label = "" if size is None else str(size)
    if size is not None and not size.reached(vocabulary.size, len(vocabulary.learned)):
        state.failures.note(
            f"{_where(system, size)}: the training text allows only {vocabulary.size} tokens "
            f"({len(vocabulary.learned)} learned)"
        )
    name, segmenter = _segmenter(system, vocabulary, state.registry)
    state.progress(f"{system.name}: segmenting and scoring {label}".rstrip())
    segmentations = {}
    with state.book.measure(system.name, "segment", label):
        prepared = segmenter.prepare(vocabulary)
        for test in state.corpora.tests:
            segmentations[test.name] = segment(
                test.words, vocabulary, segmenter, prepared, system.splitter
            )
    with state.book.measure(system.name, "score", label):
        metrics = state.experiment.metrics
        estimates = {
            bench.corpus.name: score(
                bench,
                metrics,
                segmentations[bench.corpus.name],
                state.failures,
                _where(system, size),
            )
            for bench in state.benches
        }
    return Outcome(system, name, size, vocabulary, segmentations, estimates)


def _segmenter(system: System, vocabulary: Vocabulary, registry: Registry) -> tuple[str, Segmenter]:
    """Give the system's own segmenter, or the one that the vocabulary names."""
    if system.segmenter is not None and system.segmenter_name is not None:
        return system.segmenter_name, system.segmenter
    if "use" not in vocabulary.segmenter:
        raise TokbenchError("its vocabulary names no segmenter: give the system a `segmenter`")
    use = Use.model_validate(dict(vocabulary.segmenter))
    segmenter = registry.build("segmenter", use)
    assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
    return use.use, segmenter


def _rows(state: _State, outcome: Outcome) -> Iterator[Row]:
    experiment, train = state.experiment, state.corpora.train
    base = _baseline(experiment, outcome, state.outcomes)
    for bench in state.benches:
        corpus = bench.corpus
        estimates = outcome.estimates[corpus.name]
        sign = signer(experiment, outcome.system, outcome.size, train, corpus)
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
                        context="isolated",
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

    A system without sizes is compared with the baseline's largest one.
    """
    if outcome.system.name == experiment.baseline:
        return None
    candidates = [o for o in outcomes if o.system.name == experiment.baseline]
    if outcome.size is None:
        return max(candidates, key=lambda o: o.size.number if o.size else 0, default=None)
    same = [o for o in candidates if o.size is None or o.size == outcome.size]
    return same[0] if same else None


def _label(outcome: Outcome) -> str:
    return outcome.system.name + (f"@{outcome.size_label}" if outcome.size else "")


def _where(system: System, size: Size | None) -> str:
    return f"system {system.name}" + ("" if size is None else f" at size {size}")


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


def _note_missing(state: _State) -> None:
    """Note what a reader would look for in vain: results at all, and a baseline's."""
    if not state.outcomes:
        state.failures.note("nothing was scored: no system has a vocabulary")
    baseline = state.experiment.baseline
    if baseline is None or not state.outcomes:
        return
    if all(outcome.system.name != baseline for outcome in state.outcomes):
        state.failures.note(f"the baseline {baseline} has no results: nothing is compared with it")
