"""One system of an experiment: learn, cut to sizes, segment, score; a failure costs only itself."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

from tokbench.api import Analysis, Metric, Size, TrainingMetric, Vocabulary
from tokbench.api.arrays import Segmentation
from tokbench.api.metric import TrainingLines
from tokbench.api.words import Ints
from tokbench.config import System
from tokbench.config.experiment import Context
from tokbench.corpora.words import TrainingText
from tokbench.cut import BoundSegmenter, replay, segment
from tokbench.cut.timeline import grows_at_the_end
from tokbench.cut.training import training_counts
from tokbench.cut.written import merges_words, told_edge
from tokbench.errors import SizeError, TokbenchError
from tokbench.interchange import hints
from tokbench.issues import Attempt, Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.plugins.calls import SPEED
from tokbench.printing import counted
from tokbench.run_folder.record import Cost, OutcomeRecord, Speed
from tokbench.runner.analysing import Analyses, analysed, by_frequency, used_vocabulary
from tokbench.runner.cached_work import CachedWork
from tokbench.runner.learning import learn, learning_runs
from tokbench.runner.results import Key, Outcome, SystemResult, size_label
from tokbench.runner.speed import speed
from tokbench.score.curve import Points, curves
from tokbench.score.estimate import Scores, score
from tokbench.score.test_set import TestSet

LEARNING = "learning"
TRAINING_TOKENS = "tokens of the training text"

T = TypeVar("T")
Progress = Callable[[str, float], None]
"""Is told what is being done for a system, and which share of its work is done."""
Vocabularies = Mapping[Size | None, Vocabulary]
Segmentations = Mapping[str, Segmentation]
"""How corpora are cut, by their names."""
Results = Iterator[SystemResult]


@dataclass(frozen=True, eq=False)
class SystemRun:
    """One system with all that its steps read; each step yields its parts of the result.

    `text` is a `share` of the training text. `registry` builds the segmenter that a vocabulary
    names. `run` names a learning run after the first: its training text is not counted again.
    """

    system: System
    text: TrainingText
    work: CachedWork
    tests: Sequence[TestSet]
    metrics: Mapping[str, Metric]
    analyses: Analyses
    registry: Registry
    progress: Progress
    share: float = 1.0
    run: str = ""
    without_speed: bool = False

    def result(self) -> SystemResult:
        """Learn the system's vocabularies, and score each of its sizes on every test set."""
        runs = learning_runs(self.system)
        return SystemResult.joined(part for run in runs for part in self._learned(*run))

    def _learned(self, size: Size | None, served: Sequence[Size | None]) -> Results:
        """Learn once, and score all sizes that this serves; None where the learner takes none."""
        learner, name = self.system.learner, self.system.learner_name
        self._say(LEARNING, size)

        def job() -> Vocabulary:
            with hints(self.registry, name, learner):
                return learn(learner, self.text, size)

        inputs = size_label(size), self.share, self.run
        key = self.work.key(self.system, inputs)
        cached = partial(self.work.learn, self.system, key, job)
        learned, part = self._attempt("learn", size, cached)
        if isinstance(learned.error, SizeError):
            cause = f"its smallest vocabulary has {learned.error.minimum} tokens"
            where = Location(self.system.name, tuple(each for each in served if each is not None))
            yield replace(part, issues=(Issue("left out", cause, where),))
            return
        yield part
        if learned.value is not None:
            every = partial(self._all_sizes, key, learned.value, size, served)
            rest = attempt(self._at(size), lambda: [*every()])
            yield from rest.value or ()
            yield SystemResult(issues=rest.issues)

    def _all_sizes(
        self, key: str, vocabulary: Vocabulary, size: Size | None, served: Sequence[Size | None]
    ) -> Results:
        """Cut a learned vocabulary to all sizes that it serves, and score these."""
        if self.system.segmenter is not None and self.system.segmenter_name is not None:
            name, segmenter = self.system.segmenter_name, self.system.segmenter
        elif "use" in vocabulary.segmenter:
            name, segmenter = self.registry.segmenter_of(vocabulary)
        else:
            raise TokbenchError("its vocabulary names no segmenter: give the system a `segmenter`")
        bound = BoundSegmenter(segmenter, vocabulary)
        contexts = self.system.contexts(segmenter)
        each = size is not None and not self.system.learner.prefix_closed
        label = f"@{size}" if each else ""
        cuts, issues = self._cut(vocabulary, served)
        yield SystemResult(vocabularies={label: vocabulary}, issues=issues)
        parts = [*self._segmented(key, name, bound, cuts, contexts)]
        yield from parts
        outcomes = [outcome for part in parts for outcome in part.outcomes.values()]
        scored = [outcome for outcome in outcomes if not outcome.record.isolated_copy]
        if scored and not self.run:
            yield from self._analysed(key, bound, scored, contexts[0])
            yield self._speed(bound, scored[-1], contexts[0])

    def _speed(self, bound: BoundSegmenter, last: Outcome, context: Context) -> SystemResult:
        """Measure how fast the system cuts the first text, at its largest size only.

        That comes last, and costs nothing else where it fails.
        """
        if self.without_speed or last.size not in (None, *self.system.sizes[-1:]):
            return SystemResult()
        texts = [test.corpus for test in self.tests if test.corpus.kind == "text"]
        measured: Callable[[], Speed] = partial(
            speed,
            system=self.system.name,
            size=last.record.size,
            bound=replace(bound, vocabulary=last.vocabulary),
            corpus=texts[0] if texts else self.tests[0].corpus,
            splitter=self.system.splitter,
            in_context=context == "in-context" and bool(texts),
        )
        if self.registry.calls is not None:
            measured = self.registry.calls.named(SPEED, measured)
        done = attempt(self._at(last.size, SPEED), measured)
        speeds = () if done.value is None else (done.value,)
        issues = tuple(replace(issue, kind="note") for issue in done.issues)
        return SystemResult(speeds=speeds, issues=issues)

    def _cut(
        self, vocabulary: Vocabulary, served: Sequence[Size | None]
    ) -> tuple[Vocabularies, tuple[Issue, ...]]:
        """Return the vocabulary of each size that exists, and which sizes are not as asked."""
        cuts: dict[Size | None, Vocabulary] = {}
        issues: list[Issue] = []
        for size in served:
            cut = Attempt(vocabulary)
            if size is not None and self.system.learner.prefix_closed:
                cut = attempt(self._at(size), partial(vocabulary.cut, size))
            issues += cut.issues
            if cut.value is not None:
                cuts[size] = cut.value
                if not is_reached(size, cut.value):
                    issues.append(self._too_small(size, cut.value))
        return cuts, tuple(issues)

    def _too_small(self, size: Size | None, vocabulary: Vocabulary) -> Issue:
        """Note that a size was not reached."""
        learned = len(vocabulary.learned)
        items = f" ({learned:,} learned)" if vocabulary.alphabet or learned else ""
        cause = f"the text gives only {counted(vocabulary.size, 'token')}{items}"
        return Issue("not reached", cause, self._at(size))

    def _segmented(
        self,
        key: str,
        name: str,
        bound: BoundSegmenter,
        cuts: Vocabularies,
        contexts: Sequence[Context],
    ) -> Results:
        """Segment and score all sizes: from one replay where that is possible, else one by one."""
        why = self._no_replay(bound, contexts)
        if not why:
            replayed = self._replayed(key, name, bound, cuts)
            if replayed is not None:
                yield from replayed
                return
            why = "its segmenter has no timeline"
        if self.system.curve is not None:
            yield SystemResult(issues=(Issue("note", f"no curve: {why}", self._at()),))
        for size, cut in cuts.items():
            self._say("segmenting and scoring", size)
            of_size = replace(bound, vocabulary=cut)
            for context in contexts:
                copy = context != contexts[0]
                job = partial(self._one_cut, key, size, of_size, context, copy)
                done, part = self._attempt("segment", size, job)
                yield part
                if done.value is not None:
                    yield from self._scored(name, size, of_size, done.value, context, copy)

    def _no_replay(self, bound: BoundSegmenter, contexts: Sequence[Context]) -> str:
        """Say why one replay cannot serve all sizes; nothing where it may."""
        if not (self.system.learner.sized and self.system.learner.prefix_closed):
            return (
                "its learner cannot cut a smaller vocabulary from a larger one, so each size is "
                "learned separately"
            )
        if contexts != ("isolated",):
            return "its segmenter cuts whole lines"  # only words alone are replayed
        if bound.has_states and not grows_at_the_end(bound.vocabulary):
            return "its tokens get other ids when its vocabulary is cut"
        return ""

    def _replayed(
        self, key: str, name: str, bound: BoundSegmenter, cuts: Vocabularies
    ) -> list[SystemResult] | None:
        """Score all sizes, and the curves, from one replay; None where there is no timeline."""
        span = self.system.curve
        points = None if span is None else Points.of(bound.vocabulary, span.first, span.last)
        wanted = [len(cut.learned) for cut in cuts.values()]
        wanted += [] if points is None else points.learned[:1].tolist()
        if not wanted:
            return []
        self._say("segmenting")
        job = partial(self._timelines, key, bound, sorted({*wanted}), points is not None)
        done, part = self._attempt("segment", None, job)
        if done.value is None:
            return [part] if done.error else None
        timelines = done.value
        parts = [part, SystemResult(timelines=timelines)]
        for size, cut in cuts.items():
            self._say("scoring", size)
            learned, of_size = len(cut.learned), replace(bound, vocabulary=cut)
            states = {corpus: timeline.at(learned, cut) for corpus, timeline in timelines.items()}
            parts += self._scored(name, size, of_size, states, "isolated")
        if points is not None and len(points):
            parts.append(self._curves(points, timelines))
        return parts

    def _timelines(
        self, key: str, bound: BoundSegmenter, wanted: Sequence[int], with_curves: bool
    ) -> Segmentations | None:
        """Replay all corpora: the `wanted` numbers of learned items, or for curves all of them."""
        timelines: dict[str, Segmentation] = {}
        for corpus in (test.corpus for test in self.tests):
            every = with_curves and corpus.kind != "pairs"
            splitter, items = self.system.splitter, np.array(wanted)
            job = partial(replay, bound, corpus.words, items, splitter, every)
            timeline = self.work.cut(self.system, key, [wanted, every], corpus, False, bound, job)
            if timeline is None:
                return None
            timelines[corpus.name] = timeline
        return timelines

    def _one_cut(
        self,
        key: str,
        size: Size | None,
        bound: BoundSegmenter,
        context: Context,
        isolated_copy: bool,
    ) -> Segmentations:
        """Cut all corpora, but only texts for an isolated copy: lists are always cut alone."""
        cuts: dict[str, Segmentation] = {}
        for corpus in (test.corpus for test in self.tests):
            if isolated_copy and corpus.kind != "text":
                continue
            in_lines = context == "in-context" and corpus.kind == "text"
            text = corpus.text if in_lines else None
            job = partial(segment, bound, corpus.words, text, self.system.splitter)
            inputs = size_label(size)
            cuts[corpus.name] = self.work.cut(
                self.system, key, inputs, corpus, in_lines, bound, job
            )
        return cuts

    def _scored(
        self,
        segmenter_name: str,
        size: Size | None,
        bound: BoundSegmenter,
        cuts: Segmentations,
        context: Context,
        isolated_copy: bool = False,
    ) -> Results:
        """Score one size on every corpus that it was cut on."""
        vocabulary = bound.vocabulary
        learned = len(vocabulary.learned)
        training = cache(partial(self._training_lines, bound, context == "in-context"))
        tests = {test.corpus.name: test for test in self.tests if test.corpus.name in cuts}

        def job() -> dict[str, Scores]:
            return {
                name: score(test, self.metrics, cuts, training=training)
                for name, test in tests.items()
            }

        done, part = self._attempt("score", size, job)
        if done.value is None:
            yield part
            return
        scored = done.value
        record = OutcomeRecord(
            system=self.system.name,
            segmenter=segmenter_name,
            size=size_label(size),
            context=context,
            isolated_copy=isolated_copy,
            vocabulary_size=vocabulary.size,
            # A vocabulary that does not say how it was learned has no such number.
            learned=learned if learned or vocabulary.alphabet else None,
            declared=vocabulary.declared,
            told_edge=told_edge(bound, pieces=self.system.splitter is not None),
            merges_words=context == "in-context" and merges_words(vocabulary, cuts.values()),
        )
        outcome = Outcome(
            record=record,
            system=self.system,
            size=size,
            vocabulary=vocabulary,
            # Copies, without all that metrics made of them.
            segmentations={name: replace(cut) for name, cut in cuts.items()},
            estimates={corpus: scores.estimates for corpus, scores in scored.items()},
            contexts={
                name: "isolated" if cut.context is None else "in-context"
                for name, cut in cuts.items()
            },
            uncovered={
                name: float(cut.count[cut.oov | ~cut.round_trip].sum() / cut.count.sum())
                for name, cut in cuts.items()
            },
        )
        issues = tuple(
            Issue.of(error, self._at(size, f"metric {metric}"), corpus)
            for corpus, scores in scored.items()
            for metric, error in scores.errors
        )
        key = Key(self.system.name, size, context, self.share)
        yield replace(part, outcomes={key: outcome}, issues=issues)
        if isolated_copy or self.run:
            return
        failed = {metric for scores in scored.values() for metric, _ in scores.errors}
        for name, metric in self.metrics.items():
            if isinstance(metric, TrainingMetric) and metric.columns and name not in failed:
                yield self._table("metric", name, metric, size, training)

    def _table(
        self,
        kind: str,
        name: str,
        table: Analysis | TrainingMetric,
        size: Size | None,
        inputs: Callable[[], Any],
    ) -> SystemResult:
        """Make the rows of an analysis, or of a metric that has a table of its own."""
        make = partial(analysed, name, table, self.system.name, size_label(size))
        step = f"{kind} {name}"
        rows, part = self._attempt(step, size, lambda: make(inputs()), step)
        return replace(part, analysed=rows.value or ())

    def _training_lines(self, bound: BoundSegmenter, in_context: bool) -> TrainingLines:
        """Return the running training text, with the way in which the system cuts texts."""
        cut = bound.lines if in_context else partial(bound.alone, splitter=self.system.splitter)
        pieces = self.system.splitter is not None and not in_context
        return TrainingLines(self.text.running(), cut, in_context, pieces)

    def _curves(self, points: Points, timelines: Segmentations) -> SystemResult:
        self._say("curves", None, *self.system.sizes[-1:])
        job = partial(curves, timelines, points, self.tests, self.metrics)
        done, part = self._attempt("curves", None, job)
        if done.value is None:
            return part
        drawn, errors = done.value
        issues = [
            Issue.of(error, replace(self._at(part=f"metric {metric}"), run="curve"), corpus)
            for corpus, metric, error in errors
        ]
        if not drawn:
            cause = "no curve: no metric here adds up over words"
            issues.append(Issue("note", cause, self._at()))
        return replace(part, curves=tuple(drawn), issues=tuple(issues))

    def _analysed(
        self, key: str, bound: BoundSegmenter, scored: Sequence[Outcome], context: Context
    ) -> Results:
        """Count the tokens of the training text at each size that was scored, and analyse them."""
        in_context = context == "in-context"
        listed = {
            outcome.record.size: outcome.vocabulary
            for outcome in scored
            if outcome.size or (self.analyses and not in_context)
        }
        counts: Mapping[str, Ints] = {}
        if listed:
            self._say("counting tokens in the training text", None, scored[-1].size)
            count = partial(training_counts, self.text.words, bound, listed)
            cached = partial(self.work.count, self.system, key, [*listed], bound.segmenter, count)
            done, part = self._attempt(TRAINING_TOKENS, None, cached, TRAINING_TOKENS)
            counts = done.value or {}
            # A system without sizes has no statistics of them.
            sized = [(size, listed[size], counts[size]) for size in listed if size and counts]
            yield replace(part, training_counts=tuple(sized))
            if done.error:
                return
        texts = [test.corpus for test in self.tests if test.corpus.kind == "text"]
        if not self.analyses or not (texts or self.text.words):
            return
        characters = by_frequency(self.text, texts)
        for outcome in scored:
            size, vocabulary = outcome.record.size, outcome.vocabulary
            job = partial(
                used_vocabulary,
                size=size,
                bound=replace(bound, vocabulary=vocabulary),
                splitter=self.system.splitter,
                text=self.text,
                counts=None if in_context else counts[size],
                tests={test: outcome.segmentations[test.name] for test in texts},
                characters=characters,
            )
            used, part = self._attempt("analyse", outcome.size, job)
            yield SystemResult(issues=part.issues)
            if used.value is not None:
                inputs = partial(lambda used: used, used.value)
                for name, analysis in self.analyses.items():
                    yield self._table("analysis", name, analysis, outcome.size, inputs)

    def _attempt(
        self, step: str, size: Size | None, job: Callable[[], T], within: str = ""
    ) -> tuple[Attempt[T], SystemResult]:
        """Run a step; return it, and a part of the result with its cost and failure.

        The message of a failure names the system and size, then `within`.
        """
        begin, taken = time.perf_counter(), self.work.taken
        done = attempt(self._at(size, within), job)
        seconds = time.perf_counter() - begin
        cached = self.work.taken > taken
        cost = Cost(self.system.name, step, size_label(size), seconds, peak_memory(), cached)
        return done, SystemResult(costs=(cost,), issues=done.issues)

    def _at(self, size: Size | None = None, part: str = "") -> Location:
        return Location.of(self.system.name, size, part)

    def _say(self, what: str, size: Size | None = None, scored: Size | None = None) -> None:
        """Tell what is done next, for one size or for all, and up to which size all is `scored`."""
        # Where a vocabulary is cut, the largest size is learned first, for all of them.
        for_all = what == LEARNING and self.system.learner.prefix_closed
        sizes = () if for_all else self.system.sizes
        at = sizes.index(size) if size in sizes else 0
        place = f", size {at + 1} of {len(sizes)}" if size in sizes and len(sizes) > 1 else ""
        step = f"{what} {size_label(size)}".rstrip()
        done = sizes.index(scored) + 1 if scored in sizes else at
        self.progress(f"{step}{place}", done / max(len(sizes), 1))


def peak_memory() -> float | None:
    """Return the peak resident memory of this process so far, in MB (10^6 bytes), if known."""
    if sys.platform == "win32":
        return None
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def is_reached(size: Size | None, vocabulary: Vocabulary) -> bool:
    """Return whether a size was reached; merges are not counted where the learner names none."""
    learned = len(vocabulary.learned)
    if size is None or (size.total is None and not (vocabulary.alphabet or learned)):
        return True
    return size.reached(vocabulary.size, learned)
