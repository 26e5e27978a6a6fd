"""One system of an experiment: learn, cut to sizes, segment, score; a failure costs only itself."""

import sys
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeVar

import numpy as np

from tokbench.api import Metric, Segmenter, Size, TrainingMetric, Vocabulary
from tokbench.api.arrays import Segmentation
from tokbench.api.metric import TrainingLines
from tokbench.config import System
from tokbench.config.experiment import Context
from tokbench.corpora.words import TrainingText
from tokbench.cut import BoundSegmenter, replay, segment
from tokbench.cut.timeline import grows_at_the_end
from tokbench.cut.training import TrainingCounts, training_counts
from tokbench.cut.written import merges_words, told_edge
from tokbench.errors import SizeError, TokbenchError
from tokbench.interchange import hints
from tokbench.issues import Attempt, Issue, Location, attempt
from tokbench.plugins import Registry
from tokbench.plugins.calls import SPEED
from tokbench.printing import counted
from tokbench.run_folder.record import Cost, OutcomeRecord, Speed
from tokbench.runner.analysing import Analyses, analysed, by_frequency, used_vocabulary
from tokbench.runner.cached_work import CachedWork, Done
from tokbench.runner.learning import learn, learning_runs
from tokbench.runner.results import Key, Outcome, SystemResult, size_label
from tokbench.runner.speed import speed
from tokbench.score.count import OtherTexts
from tokbench.score.curve import Points, curves
from tokbench.score.estimate import Scores, score
from tokbench.score.test_set import TestSet

MADE_ANEW = (
    "its learner cannot cut a smaller vocabulary from a larger one, so each size is learned "
    "separately"
)
WHOLE_LINES = "its segmenter cuts whole lines"
NO_TIMELINE = "its segmenter has no timeline"
RENUMBERED = "its tokens get other ids when its vocabulary is cut"
LEARNING = "learning"
TRAINING_TOKENS = "tokens of the training text"

T = TypeVar("T")
Progress = Callable[[str, float], None]
"""Is told what is being done for a system, and which share of its work is done."""
Vocabularies = Mapping[Size | None, Vocabulary]
Results = Iterator[SystemResult]


class ForeignSegmenterError(TokbenchError):
    """A vocabulary names a segmenter that works in a process of its own, which this is not."""


@dataclass(frozen=True, eq=False)
class SystemRun:
    """One system with all that its steps read; each step yields its parts of the result.

    `text` is a `share` of the training text. `registry` builds the segmenter that a vocabulary
    names. A `repeat` above 0 is another learning run of the same: its training text is not counted
    again.
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
    repeat: int = 0
    sample: int = 0
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

        inputs = size_label(size), self.share, self.repeat, self.sample
        key = self.work.key(self.system, inputs)
        kept = partial(self.work.learn, self.system, key, job)
        done, part = self._attempt("learn", size, kept)
        if isinstance(done.error, SizeError):
            cause = f"its smallest vocabulary has {done.error.minimum} tokens"
            where = Location(self.system.name, tuple(each for each in served if each is not None))
            yield replace(part, issues=(Issue("left out", cause, where),))
            return
        yield part
        if done.value is not None:
            vocabulary = done.value.value
            self._check_segmenter(vocabulary)
            every = partial(self._all_sizes, key, vocabulary, size, served)
            rest = attempt(self._at(size), lambda: [*every()])
            yield from rest.value or ()
            yield SystemResult(issues=rest.issues)

    def _all_sizes(
        self, key: str, vocabulary: Vocabulary, size: Size | None, served: Sequence[Size | None]
    ) -> Results:
        """Cut a learned vocabulary to all sizes that it serves, and score these."""
        name, segmenter = self._segmenter(vocabulary)
        bound = BoundSegmenter(segmenter, vocabulary)
        contexts = self.system.contexts(segmenter)
        each = size is not None and not self.system.learner.prefix_closed
        label = f"@{size}" if each else ""
        cuts, issues = self._cut(vocabulary, served)
        yield SystemResult(vocabularies={label: vocabulary}, issues=issues)
        parts = [*self._segmented(key, name, bound, cuts, contexts)]
        yield from parts
        if self._is_first:
            yield from self._analysed(key, bound, cuts, contexts[0], parts)
            scored = {key.size: cuts[key.size] for part in parts for key in part.outcomes}
            yield self._speed(bound, scored, contexts[0])

    def _speed(self, bound: BoundSegmenter, cuts: Vocabularies, context: Context) -> SystemResult:
        """Measure how fast the system cuts the first text, at its largest size only.

        That comes last, and costs nothing else where it fails.
        """
        size = self.system.sizes[-1] if self.system.sizes else None
        if self.without_speed or size not in cuts:
            return SystemResult()
        texts = [test.corpus for test in self.tests if test.corpus.kind == "text"]
        measured: Callable[[], Speed] = partial(
            speed,
            system=self.system.name,
            size=size_label(size),
            bound=replace(bound, vocabulary=cuts[size]),
            corpus=texts[0] if texts else self.tests[0].corpus,
            splitter=self.system.splitter,
            in_context=context == "in-context" and bool(texts),
        )
        if self.registry.calls is not None:
            measured = self.registry.calls.named(SPEED, measured)
        done = attempt(self._at(size, SPEED), measured)
        speeds = () if done.value is None else (done.value,)
        issues = tuple(replace(issue, kind="note") for issue in done.issues)
        return SystemResult(speeds=speeds, issues=issues)

    def _check_segmenter(self, vocabulary: Vocabulary) -> None:
        """Raise ForeignSegmenterError if the vocabulary names a segmenter for a child process."""
        name = vocabulary.segmenter.get("use")
        if self.registry.calls is not None or self.system.segmenter is not None:
            return
        if name in self.registry.names("segmenter"):
            offer = self.registry.find("segmenter", name)
            if self.registry.foreign([offer.component]):
                raise ForeignSegmenterError(f"the segmenter {name!r} is a plugin's")

    def _segmenter(self, vocabulary: Vocabulary) -> tuple[str, Segmenter]:
        """Return the system's own segmenter with its name, or build that of the vocabulary."""
        if self.system.segmenter is not None and self.system.segmenter_name is not None:
            return self.system.segmenter_name, self.system.segmenter
        if "use" not in vocabulary.segmenter:
            raise TokbenchError("its vocabulary names no segmenter: give the system a `segmenter`")
        return self.registry.segmenter_of(vocabulary)

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
                issues += _too_small(self.system, size, cut.value)
        return cuts, tuple(issues)

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
        if why is None:
            replayed = self._replayed(key, name, bound, cuts)
            if replayed is not None:
                yield from replayed
                return
            why = NO_TIMELINE
        if self.system.curve is not None:
            yield SystemResult(issues=(Issue("note", f"no curve: {why}", self._at()),))
        for size, cut in cuts.items():
            self._say("segmenting and scoring", size)
            for context in contexts:
                copy = context != contexts[0]
                bound_to_size = replace(bound, vocabulary=cut)
                job = partial(self._one_cut, key, size, bound_to_size, context, copy)
                done, part = self._attempt("segment", size, job)
                yield part
                if done.value is not None:
                    cut_texts = done.value.value
                    yield self._scored(name, size, bound_to_size, cut_texts, context, copy)

    def _no_replay(self, bound: BoundSegmenter, contexts: Sequence[Context]) -> str | None:
        """Say why one replay cannot serve all sizes; None where it can."""
        if not (self.system.learner.sized and self.system.learner.prefix_closed):
            return MADE_ANEW
        if contexts != ("isolated",):
            return WHOLE_LINES  # only words alone are replayed
        if not bound.has_states:
            return NO_TIMELINE
        return None if grows_at_the_end(bound.vocabulary) else RENUMBERED

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
        timelines = done.value.value
        parts = [part, SystemResult(timelines=timelines)]
        for size, cut in cuts.items():
            self._say("scoring", size)
            bound_to_size = replace(bound, vocabulary=cut)
            parts.append(self._scored(name, size, bound_to_size, timelines, all_sizes=True))
        if points is not None and len(points):
            parts.append(self._curves(points, timelines))
        return parts

    def _timelines(
        self, key: str, bound: BoundSegmenter, wanted: Sequence[int], with_curves: bool
    ) -> Done[Mapping[str, Segmentation]] | None:
        """Replay all corpora: the `wanted` numbers of learned items, or for curves all of them."""
        splitter, timelines, cached = self.system.splitter, dict[str, Segmentation](), False
        for corpus in (test.corpus for test in self.tests):
            every = with_curves and corpus.kind != "pairs"
            job = partial(replay, bound, corpus.words, np.array(wanted), splitter, every)
            done = self.work.cut(self.system, key, [wanted, every], corpus, False, bound, job)
            if done.value is None:
                return None
            timelines[corpus.name] = done.value
            cached |= done.cached
        return Done(timelines, cached)

    def _one_cut(
        self,
        key: str,
        size: Size | None,
        bound: BoundSegmenter,
        context: Context,
        isolated_copy: bool,
    ) -> Done[Mapping[str, Segmentation]]:
        """Cut all corpora, but only texts for an isolated copy: lists are always cut alone."""
        splitter, cuts, cached = self.system.splitter, dict[str, Segmentation](), False
        for corpus in (test.corpus for test in self.tests):
            if isolated_copy and corpus.kind != "text":
                continue
            in_lines = context == "in-context" and corpus.kind == "text"
            text = corpus.text if in_lines else None
            job = partial(segment, bound, corpus.words, text, splitter)
            done = self.work.cut(self.system, key, size_label(size), corpus, in_lines, bound, job)
            assert done.value is not None  # unlike a replay, which not every segmenter has
            cuts[corpus.name] = done.value
            cached |= done.cached
        return Done(cuts, cached)

    def _scored(
        self,
        segmenter_name: str,
        size: Size | None,
        bound: BoundSegmenter,
        segmentations: Mapping[str, Segmentation],
        context: Context = "isolated",
        isolated_copy: bool = False,
        all_sizes: bool = False,
    ) -> SystemResult:
        """Score one size on every corpus that it was cut on.

        Segmentations of `all_sizes` hold the states of every size: those of this one are taken.
        """
        vocabulary = bound.vocabulary
        learned = len(vocabulary.learned)
        training = cache(partial(self._training_lines, bound, context == "in-context"))
        other_texts = OtherTexts(training=training)

        def job() -> tuple[Mapping[str, Segmentation], dict[str, Scores]]:
            cuts = segmentations
            if all_sizes:
                cuts = {name: timeline.at(learned, vocabulary) for name, timeline in cuts.items()}
            tests = {test.corpus.name: test for test in self.tests if test.corpus.name in cuts}
            scored = {n: score(test, self.metrics, cuts, other_texts) for n, test in tests.items()}
            return cuts, scored

        done, part = self._attempt("score", size, job)
        if done.value is None:
            return part
        cuts, scored = done.value
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
        key = Key(self.system.name, size, context, self.share, self.repeat, self.sample)
        part = replace(part, outcomes={key: outcome}, issues=issues)
        if isolated_copy or not self._is_first:
            return part
        failed = {metric for scores in scored.values() for metric, _ in scores.errors}
        return SystemResult.joined([part, *self._own_tables(size, training, failed)])

    @property
    def _is_first(self) -> bool:
        """Whether it learns from the whole text, for the first time."""
        return self.share == 1 and not self.repeat and not self.sample

    def _own_tables(
        self, size: Size | None, training: Callable[[], TrainingLines], failed: Container[str]
    ) -> Results:
        """Make the tables of metrics that have some of their own, but for those that failed."""
        for name, metric in self.metrics.items():
            if isinstance(metric, TrainingMetric) and metric.columns and name not in failed:
                own = name, metric, self.system.name, size_label(size), training()
                part_name = f"metric {name}"
                rows, part = self._attempt(part_name, size, partial(analysed, *own), part_name)
                yield replace(part, analysed=rows.value or ())

    def _training_lines(self, bound: BoundSegmenter, in_context: bool) -> TrainingLines:
        """Return the running training text, with the way in which the system cuts texts."""
        cut = bound.lines if in_context else partial(bound.alone, splitter=self.system.splitter)
        pieces = self.system.splitter is not None and not in_context
        return TrainingLines(self.text.running(), cut, in_context, pieces)

    def _curves(self, points: Points, timelines: Mapping[str, Segmentation]) -> SystemResult:
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
        self,
        key: str,
        bound: BoundSegmenter,
        cuts: Vocabularies,
        context: Context,
        parts: Sequence[SystemResult],
    ) -> Results:
        """Count the tokens of the training text at each size that was scored, and analyse them."""
        scored = {
            key.size: (cuts[key.size], outcome)
            for part in parts
            for key, outcome in part.outcomes.items()
            if not outcome.record.isolated_copy
        }
        if not scored:
            return
        in_context = context == "in-context"
        listed = {
            size_label(size): cut
            for size, (cut, _) in scored.items()
            if size or (self.analyses and not in_context)
        }
        counted: tuple[TrainingCounts, ...] = ()
        if listed:
            self._say("counting tokens in the training text", None, [*cuts][-1])
            count = partial(training_counts, self.text.words, bound, listed)
            kept = partial(self.work.count, self.system, key, [*listed], bound.segmenter, count)
            done, part = self._attempt(TRAINING_TOKENS, None, kept, TRAINING_TOKENS)
            if done.value is not None:
                counted = tuple((size, cut, done.value.value[size]) for size, cut in listed.items())
            yield replace(part, training_counts=tuple(counts for counts in counted if counts[0]))
            if done.value is None:
                return
        counts = {size: by_id for size, _, by_id in counted}
        texts = [test.corpus for test in self.tests if test.corpus.kind == "text"]
        used_by = self.analyses if texts or self.text.words else {}
        characters = by_frequency(self.text, texts) if used_by else ""
        for size, (cut, outcome) in scored.items() if used_by else ():
            job = partial(
                used_vocabulary,
                size=size_label(size),
                bound=replace(bound, vocabulary=cut),
                splitter=self.system.splitter,
                text=self.text,
                counts=None if in_context else counts[size_label(size)],
                tests={test: outcome.segmentations[test.name] for test in texts},
                characters=characters,
            )
            used, part = self._attempt("analyse", size, job)
            yield SystemResult(issues=part.issues)
            if used.value is None:
                continue
            for name, analysis in used_by.items():
                rows = partial(analysed, name, analysis, self.system.name, used.value.size)
                here = f"analysis {name}"
                found, part = self._attempt(here, size, partial(rows, used.value), here)
                yield replace(part, analysed=found.value or ())

    def _attempt(
        self, step: str, size: Size | None, job: Callable[[], T], within: str = ""
    ) -> tuple[Attempt[T], SystemResult]:
        """Run a step; return it, and a part of the result with its cost and failure.

        The message of a failure names the system and size, then `within`.
        """
        begin = time.perf_counter()
        done = attempt(self._at(size, within), job)
        seconds = time.perf_counter() - begin
        cached = isinstance(done.value, Done) and done.value.cached
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


def _too_small(system: System, size: Size | None, vocabulary: Vocabulary) -> Iterator[Issue]:
    """Note where a size was not reached."""
    learned = len(vocabulary.learned)
    names_items = bool(vocabulary.alphabet) or learned > 0
    if not is_reached(size, vocabulary):
        items = f" ({learned:,} learned)" if names_items else ""
        cause = f"the text gives only {counted(vocabulary.size, 'token')}{items}"
        yield Issue("not reached", cause, Location.of(system.name, size))


def is_reached(size: Size | None, vocabulary: Vocabulary) -> bool:
    """Return whether a size was reached; merges are not counted where the learner names none."""
    learned = len(vocabulary.learned)
    if size is None or (size.total is None and not (vocabulary.alphabet or learned)):
        return True
    return size.reached(vocabulary.size, learned)
