"""One system of an experiment: learn, cut to sizes, segment, score; a failure costs only itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from tokbench.api import Metric, Segmentation, Segmenter, Size, Vocabulary
from tokbench.api.segmentation import Ints
from tokbench.config import System
from tokbench.config.experiment import Context
from tokbench.cut import BoundSegmenter, replay, segment
from tokbench.cut.timeline import grows_at_the_end
from tokbench.cut.training import training_counts
from tokbench.errors import SizeError
from tokbench.runner.issues import CostStep, Issue, attempt
from tokbench.runner.learning import TrainingText, learn, learning_runs
from tokbench.runner.outcome import Key, Outcome, SystemResult
from tokbench.score.curve import Points, curves
from tokbench.score.estimate import score
from tokbench.score.test_set import TestSet

MADE_ANEW = (
    "its learner cannot cut a smaller vocabulary from a larger one, so each size is learned "
    "separately"
)
WHOLE_LINES = "its segmenter cuts whole lines"
NO_TIMELINE = "its segmenter has no timeline"
RENUMBERED = "its tokens get other ids when its vocabulary is cut"
TRAINING_TOKENS = "tokens of the training text"

Progress = Callable[[str], None]
Cuts = Mapping[Size | None, Vocabulary]


def run_system(
    system: System,
    text: TrainingText,
    tests: Sequence[TestSet],
    metrics: Mapping[str, Metric],
    segmenter_of: Callable[[System, Vocabulary], tuple[str, Segmenter]],
    progress: Progress,
    share: float = 1.0,
    repeat: int = 0,
) -> SystemResult:
    """Learn a system's vocabularies, and score each of its sizes on every test set.

    `text` is a `share` of the training text. `segmenter_of` builds the segmenter of a vocabulary. A
    `repeat` above 0 is another learning run of the same: its training text is not counted again.
    """
    run = _SystemRun(system, text, tests, metrics, segmenter_of, progress, share, repeat)
    return SystemResult.joined(run.learning_run(size) for size in learning_runs(system))


def where(system: System, size: Size | None) -> str:
    """Name a system, and its size if it has one, in messages."""
    return f"system {system.name}" + ("" if size is None else f" at size {size}")


@dataclass(frozen=True, eq=False)
class _SystemRun:
    """One system with all that its steps read; each step returns its part of the result."""

    system: System
    text: TrainingText
    tests: Sequence[TestSet]
    metrics: Mapping[str, Metric]
    segmenter_of: Callable[[System, Vocabulary], tuple[str, Segmenter]]
    progress: Progress
    share: float
    repeat: int

    def learning_run(self, size: Size | None) -> SystemResult:
        """Learn once, and score all sizes that this serves; None where the learner takes none."""
        learner, name = self.system.learner, self.system.learner_name
        prefix = size is None or learner.prefix_closed
        served = self.system.sizes if prefix and size is not None else (size,)
        self._say("learning", size)
        learned = attempt(
            where(self.system, size),
            lambda: learn(learner, self.text, size, name),
            self._step("learn", size),
        )
        if isinstance(learned.error, SizeError):
            smallest = f"left out: its smallest vocabulary has {learned.error.minimum} tokens"
            notes = (Issue.note(f"{where(self.system, one)}: {smallest}") for one in served)
            return SystemResult(costs=learned.costs, issues=tuple(notes))
        vocabulary = learned.value
        if vocabulary is None:
            return SystemResult.of(learned)
        rest = attempt(
            where(self.system, size), lambda: self._all_sizes(vocabulary, size, served, prefix)
        )
        return SystemResult.joined((SystemResult.of(learned), rest.value or SystemResult.of(rest)))

    def _all_sizes(
        self, vocabulary: Vocabulary, size: Size | None, served: Sequence[Size | None], prefix: bool
    ) -> SystemResult:
        """Cut a learned vocabulary to all sizes that it serves, and score these."""
        name, segmenter = self.segmenter_of(self.system, vocabulary)
        bound = BoundSegmenter(segmenter, vocabulary)
        contexts = self.system.contexts(segmenter)
        cuts, issues = self._cut(vocabulary, served, prefix)
        label = "" if prefix else str(size)
        parts = [SystemResult(vocabularies={label: vocabulary}, issues=issues)]
        why: str | None = MADE_ANEW
        if prefix and size is not None:
            # Only words alone are replayed.
            why = WHOLE_LINES if contexts != ("isolated",) else _no_replay(bound)
        if why is None:
            replayed = self._replayed(name, bound, cuts)
            why = NO_TIMELINE if replayed is None else None
            parts += [] if replayed is None else [replayed]
        if why is not None:
            if self.system.span is not None and self.system.span.curve:
                note = Issue.note(f"system {self.system.name}: no curve: {why}")
                parts.append(SystemResult(issues=(note,)))
            for one, cut in cuts.items():
                parts.append(self._one_size(name, one, replace(bound, vocabulary=cut), contexts))
        return SystemResult.joined((*parts, self._training_counts(bound, cuts, parts)))

    def _cut(
        self, vocabulary: Vocabulary, served: Sequence[Size | None], prefix: bool
    ) -> tuple[Cuts, tuple[Issue, ...]]:
        """Return the vocabulary of each size that exists, and which sizes are not as asked."""
        cuts: dict[Size | None, Vocabulary] = {}
        issues: list[Issue] = []
        for size in served:
            cut = attempt(
                where(self.system, size),
                partial(vocabulary.cut, size)
                if prefix and size is not None
                else lambda: vocabulary,
            )
            issues += cut.issues
            if cut.value is not None:
                cuts[size] = cut.value
                issues += _too_small(self.system, size, cut.value)
        return cuts, tuple(issues)

    def _replayed(self, name: str, bound: BoundSegmenter, cuts: Cuts) -> SystemResult | None:
        """Score all sizes, and the curves, from one replay; None where there is no timeline."""
        span = self.system.span
        points = None
        if span is not None and span.curve:
            points = Points.of(bound.vocabulary, span.first, span.last)
        wanted = [len(cut.learned) for cut in cuts.values()]
        wanted += [] if points is None else points.learned[:1].tolist()
        if not wanted:
            return SystemResult()
        self._say("segmenting")
        replayed = attempt(
            where(self.system, None),
            lambda: self._timelines(bound, np.unique(wanted), points is not None),
            self._step("segment"),
        )
        if replayed.value is None:
            return SystemResult.of(replayed) if replayed.error else None
        timelines = replayed.value
        parts = [SystemResult.of(replayed, timelines=timelines)]
        for size, cut in cuts.items():
            self._say("scoring", size)
            found = {corpus: whole.at(len(cut.learned), cut) for corpus, whole in timelines.items()}
            parts.append(self._scored(name, size, cut, found))
        if points is not None and len(points):
            parts.append(self._curves(points, timelines))
        return SystemResult.joined(parts)

    def _timelines(
        self, bound: BoundSegmenter, wanted: Ints, every: bool
    ) -> dict[str, Segmentation] | None:
        found = {}
        for corpus in (test.corpus for test in self.tests):
            whole = replay(bound, corpus.words, wanted, self.system.splitter, every)
            if whole is None:
                return None
            found[corpus.name] = whole
        return found

    def _one_size(
        self, name: str, size: Size | None, bound: BoundSegmenter, contexts: Sequence[Context]
    ) -> SystemResult:
        """Segment and score one size, in each context."""
        self._say("segmenting and scoring", size)
        own, parts = contexts[0], []
        for context in contexts:
            job = partial(self._segmented, bound, context, own)
            cut = attempt(where(self.system, size), job, self._step("segment", size))
            parts.append(SystemResult.of(cut))
            if cut.value is not None:
                found, copy = cut.value, context != own
                parts.append(self._scored(name, size, bound.vocabulary, found, context, copy))
        return SystemResult.joined(parts)

    def _segmented(
        self, bound: BoundSegmenter, context: Context, own: Context
    ) -> dict[str, Segmentation]:
        """Cut all corpora; in another context than the system's own only texts: lists have none."""
        return {
            corpus.name: segment(
                bound,
                corpus.words,
                corpus.text if context == "in-context" and corpus.kind == "text" else None,
                self.system.splitter,
            )
            for corpus in (test.corpus for test in self.tests)
            if corpus.kind == "text" or context == own
        }

    def _scored(
        self,
        segmenter_name: str,
        size: Size | None,
        vocabulary: Vocabulary,
        segmentations: Mapping[str, Segmentation],
        context: Context = "isolated",
        isolated_copy: bool = False,
    ) -> SystemResult:
        """Score one size on every corpus that it was cut on."""
        scored = attempt(
            where(self.system, size),
            lambda: {
                test.corpus.name: score(test, self.metrics, segmentations)
                for test in self.tests
                if test.corpus.name in segmentations
            },
            self._step("score", size),
        )
        if scored.value is None:
            return SystemResult.of(scored)
        outcome = Outcome(
            system=self.system,
            segmenter_name=segmenter_name,
            size=size,
            vocabulary=vocabulary,
            segmentations=segmentations,
            estimates={corpus: scores.estimates for corpus, scores in scored.value.items()},
            context=context,
            isolated_copy=isolated_copy,
        )
        issues = (
            Issue.of(error, f"metric {metric}", f"{where(self.system, size)}, corpus {corpus}")
            for corpus, scores in scored.value.items()
            for metric, error in scores.errors
        )
        key = Key(self.system.name, size, context, self.share, self.repeat)
        return SystemResult(outcomes={key: outcome}, costs=scored.costs, issues=tuple(issues))

    def _curves(self, points: Points, timelines: Mapping[str, Segmentation]) -> SystemResult:
        self._say("curves")
        drawn = attempt(
            where(self.system, None),
            lambda: curves(timelines, points, self.tests, self.metrics),
            self._step("curves"),
        )
        if drawn.value is None:
            return SystemResult.of(drawn)
        name = self.system.name
        issues = [
            Issue.of(error, f"metric {metric}", f"curve of system {name}, corpus {corpus}")
            for corpus, metric, error in drawn.value.errors
        ]
        if not drawn.value.curves:
            issues.append(Issue.note(f"system {name}: no curve: no metric here adds up over words"))
        return SystemResult(curves=drawn.value.curves, costs=drawn.costs, issues=tuple(issues))

    def _training_counts(
        self, bound: BoundSegmenter, cuts: Cuts, parts: Sequence[SystemResult]
    ) -> SystemResult:
        """Count the tokens of the training text at each listed size that was scored."""
        scored = {key.size for part in parts for key in part.outcomes}
        listed = {str(size): cut for size, cut in cuts.items() if size and size in scored}
        if self.repeat or not listed:
            return SystemResult()
        self._say(TRAINING_TOKENS)
        counted = attempt(
            f"{where(self.system, None)}: {TRAINING_TOKENS}",
            lambda: tuple(training_counts(self.text.words, bound, listed)),
            self._step(TRAINING_TOKENS),
        )
        return SystemResult.of(counted, training_counts=counted.value or ())

    def _say(self, what: str, size: Size | None = None) -> None:
        self.progress(f"{self.system.name}: {what} {size or ''}".rstrip())

    def _step(self, step: str, size: Size | None = None) -> CostStep:
        return CostStep(self.system.name, step, "" if size is None else str(size))


def _no_replay(bound: BoundSegmenter) -> str | None:
    """Say why one replay cannot serve all sizes; None where it can."""
    if not bound.has_states:
        return NO_TIMELINE
    return None if grows_at_the_end(bound.vocabulary) else RENUMBERED


def _too_small(system: System, size: Size | None, vocabulary: Vocabulary) -> Iterator[Issue]:
    """Note where a size was not reached; merges are not counted where the learner names none."""
    learned = len(vocabulary.learned)
    names_items = bool(vocabulary.alphabet) or learned > 0
    if size is None or (size.total is None and not names_items):
        return
    if not size.reached(vocabulary.size, learned):
        merges = f" ({learned} learned)" if names_items else ""
        yield Issue.note(
            f"{where(system, size)}: learning gave only {vocabulary.size} tokens{merges}"
        )
