"""One system of an experiment: learn, cut to sizes, segment, score; a failure costs only itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tokbench.api import Metric, Segmentation, Segmenter, Size, TextSegmenter, Vocabulary
from tokbench.config import System
from tokbench.cut import BoundSegmenter, replay, segment
from tokbench.cut.states import grows_at_the_end
from tokbench.cut.training import training_counts
from tokbench.errors import SizeError, UsageError
from tokbench.runner.cost import CostStep
from tokbench.runner.issues import Issue, attempt
from tokbench.runner.learning import TrainingText, learn, learning_runs
from tokbench.runner.outcome import Context, Outcome, SystemResult
from tokbench.score.curve import Curves, Points, curves
from tokbench.score.estimate import Scores, score
from tokbench.score.test_set import TestSet

MADE_ANEW = "its learner makes each size anew"
WHOLE_LINES = "its segmenter cuts whole lines"
NO_TIMELINE = "its segmenter gives no timeline"
RENUMBERED = "cutting its vocabulary gives tokens other ids"
TRAINING_TOKENS = "tokens of the training text"

Progress = Callable[[str], None]
Cuts = Mapping[Size | None, Vocabulary]
NamedSegmenter = tuple[str, Segmenter]


def run_system(
    system: System,
    text: TrainingText,
    tests: Sequence[TestSet],
    metrics: Mapping[str, Metric],
    segmenter_of: Callable[[System, Vocabulary], NamedSegmenter],
    progress: Progress,
    repeat: int = 0,
) -> SystemResult:
    """Learn a system's vocabularies, and score each of its sizes on every test set.

    `segmenter_of` builds the segmenter of a vocabulary. A `repeat` above 0 is another learning run
    of the same: its training text is not counted again.
    """
    run = _SystemRun(system, text, tests, metrics, segmenter_of, progress, repeat)
    return SystemResult.joined(run.learning_run(size) for size in learning_runs(system))


def where(system: System, size: Size | None) -> str:
    """Name a system, and its size if it has one, in messages."""
    return f"system {system.name}" + ("" if size is None else f" at size {size}")


def contexts_of(system: System, segmenter: Segmenter) -> tuple[Context, ...]:
    """Return the contexts in which a system is scored, the first being its own.

    Raises UsageError where it is to cut in context but its vocabulary's segmenter cannot; of a
    `split` and of a segmenter that the config names, loading the config has refused that.
    """
    lines = isinstance(segmenter, TextSegmenter) and system.splitter is None
    if system.context is None:
        return ("in-context",) if lines else ("isolated",)
    if system.context == "isolated":
        return ("isolated",)
    if not lines:
        raise UsageError(
            f"`context: {system.context}` asks for whole lines, but its segmenter cuts words"
        )
    return ("in-context",) if system.context == "in-context" else ("in-context", "isolated")


@dataclass(frozen=True, eq=False)
class _SystemRun:
    """One system with all that its steps read; each step returns its part of the result."""

    system: System
    text: TrainingText
    tests: Sequence[TestSet]
    metrics: Mapping[str, Metric]
    segmenter_of: Callable[[System, Vocabulary], NamedSegmenter]
    progress: Progress
    repeat: int

    def learning_run(self, size: Size | None) -> SystemResult:
        """Learn once, and score all sizes that this serves; None where the learner takes none."""
        prefix = size is None or self.system.learner.prefix_closed
        served = self.system.sizes if prefix and size is not None else (size,)
        self._say("learning", size)
        job = partial(learn, self.system.learner, self.text, size, self.system.learner_name)
        learned = attempt(where(self.system, size), job, self._step("learn", size))
        if isinstance(learned.error, SizeError):
            smallest = f"left out: its smallest vocabulary has {learned.error.minimum} tokens"
            notes = (Issue.note(f"{where(self.system, one)}: {smallest}") for one in served)
            return SystemResult(costs=learned.costs, issues=tuple(notes))
        result = SystemResult(costs=learned.costs, issues=learned.issues)
        if learned.value is None:
            return result
        job_of_rest = partial(self._all_sizes, learned.value, size, served, prefix)
        rest = attempt(where(self.system, size), job_of_rest)
        found = rest.value or SystemResult(issues=rest.issues)
        return SystemResult.joined((result, found))

    def _all_sizes(
        self, vocabulary: Vocabulary, size: Size | None, served: Sequence[Size | None], prefix: bool
    ) -> SystemResult:
        """Cut a learned vocabulary to all sizes that it serves, and score these."""
        name, segmenter = self.segmenter_of(self.system, vocabulary)
        bound = BoundSegmenter(segmenter, vocabulary)
        contexts = contexts_of(self.system, segmenter)
        label = "" if prefix else str(size)
        cuts, issues = self._cut(vocabulary, served, prefix)
        parts = [SystemResult(vocabularies={label: vocabulary}, issues=issues)]
        why: str | None = MADE_ANEW
        if prefix and size is not None:
            # Only words alone are replayed.
            why = WHOLE_LINES if contexts != ("isolated",) else self._no_replay(bound)
        if why is None:
            replayed = self._replayed(name, bound, cuts)
            why = NO_TIMELINE if replayed is None else None
            parts += [] if replayed is None else [replayed]
        if why is not None:
            parts.append(self._no_curve(why))
            parts += (self._one_size(one, cut, contexts) for one, cut in cuts.items())
        return SystemResult.joined((*parts, self._training_counts(bound, cuts, parts)))

    def _cut(
        self, vocabulary: Vocabulary, served: Sequence[Size | None], prefix: bool
    ) -> tuple[Cuts, tuple[Issue, ...]]:
        """Return the vocabulary of each size that exists, and which sizes are not as asked."""
        cuts: dict[Size | None, Vocabulary] = {}
        issues: list[Issue] = []
        for size in served:
            if not prefix or size is None:
                cuts[size] = vocabulary
            else:
                found = attempt(where(self.system, size), partial(vocabulary.cut, size))
                issues += found.issues
                if found.value is None:
                    continue
                cuts[size] = found.value
            issues += _too_small(self.system, size, cuts[size])
        return cuts, tuple(issues)

    def _no_replay(self, bound: BoundSegmenter) -> str | None:
        """Say why one replay cannot serve all sizes; None where it can."""
        if not bound.has_states:
            return NO_TIMELINE
        return None if grows_at_the_end(bound.vocabulary) else RENUMBERED

    def _no_curve(self, why: str) -> SystemResult:
        if self.system.span is None or not self.system.span.curve:
            return SystemResult()
        return SystemResult(issues=(Issue.note(f"system {self.system.name}: no curve: {why}"),))

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
        job = partial(self._timelines, bound, np.unique(wanted), points is not None)
        replayed = attempt(where(self.system, None), job, self._step("segment"))
        if replayed.error is not None:
            return SystemResult(costs=replayed.costs, issues=replayed.issues)
        if replayed.value is None:
            return None
        timelines = replayed.value
        parts = [SystemResult(timelines=timelines, costs=replayed.costs)]
        for size, cut in cuts.items():
            self._say("scoring", size)
            found = {corpus: whole.at(len(cut.learned), cut) for corpus, whole in timelines.items()}
            parts.append(self._scored(name, size, cut, found))
        if points is not None and len(points):
            parts.append(self._curves(points, timelines))
        return SystemResult.joined(parts)

    def _timelines(
        self, bound: BoundSegmenter, wanted: Any, every: bool
    ) -> dict[str, Segmentation] | None:
        found = {}
        for test in self.tests:
            words, name = test.corpus.words, test.corpus.name
            whole = replay(bound, words, wanted, self.system.splitter, every)
            if whole is None:
                return None
            found[name] = whole
        return found

    def _one_size(
        self, size: Size | None, vocabulary: Vocabulary, contexts: Sequence[Context]
    ) -> SystemResult:
        """Segment and score one size, in each context."""
        self._say("segmenting and scoring", size)
        job = partial(self._segmented, vocabulary, contexts)
        cut = attempt(where(self.system, size), job, self._step("segment", size))
        result = SystemResult(costs=cut.costs, issues=cut.issues)
        if cut.value is None:
            return result
        name, found = cut.value
        return SystemResult.joined(
            (
                result,
                *(
                    self._scored(
                        name, size, vocabulary, of_context, context, context != contexts[0]
                    )
                    for context, of_context in zip(contexts, found, strict=True)
                ),
            )
        )

    def _segmented(
        self, vocabulary: Vocabulary, contexts: Sequence[Context]
    ) -> tuple[str, list[dict[str, Segmentation]]]:
        """Cut all corpora in each context; in a second context only texts: lists have but one."""
        name, segmenter = self.segmenter_of(self.system, vocabulary)
        bound = BoundSegmenter(segmenter, vocabulary)
        found: list[dict[str, Segmentation]] = []
        for context in contexts:
            cut = {}
            for corpus in (test.corpus for test in self.tests):
                if corpus.kind == "text" or context == contexts[0]:
                    in_lines = context == "in-context" and corpus.kind == "text"
                    running = corpus.text if in_lines else None
                    cut[corpus.name] = segment(bound, corpus.words, running, self.system.splitter)
            found.append(cut)
        return name, found

    def _scored(
        self,
        segmenter_name: str,
        size: Size | None,
        vocabulary: Vocabulary,
        segmentations: Mapping[str, Segmentation],
        context: Context = "isolated",
        beside: bool = False,
    ) -> SystemResult:
        """Score one size on every corpus that it was cut on."""
        job = partial(self._scores, segmentations)
        scored = attempt(where(self.system, size), job, self._step("score", size))
        if scored.value is None:
            return SystemResult(costs=scored.costs, issues=scored.issues)
        outcome = Outcome(
            system=self.system,
            segmenter_name=segmenter_name,
            size=size,
            vocabulary=vocabulary,
            segmentations=segmentations,
            estimates={corpus: scores.estimates for corpus, scores in scored.value.items()},
            context=context,
            beside=beside,
        )
        issues = (
            Issue.of(error, f"metric {metric}", f"{where(self.system, size)}, corpus {corpus}")
            for corpus, scores in scored.value.items()
            for metric, error in scores.errors
        )
        return SystemResult(
            outcomes={outcome.key: outcome}, costs=scored.costs, issues=tuple(issues)
        )

    def _scores(self, segmentations: Mapping[str, Segmentation]) -> dict[str, Scores]:
        return {
            test.corpus.name: score(test, self.metrics, segmentations)
            for test in self.tests
            if test.corpus.name in segmentations
        }

    def _curves(self, points: Points, timelines: Mapping[str, Segmentation]) -> SystemResult:
        self._say("curves")
        job: Callable[[], Curves] = partial(curves, timelines, points, self.tests, self.metrics)
        drawn = attempt(where(self.system, None), job, self._step("curves"))
        if drawn.value is None:
            return SystemResult(costs=drawn.costs, issues=drawn.issues)
        place = f"curve of system {self.system.name}"
        issues = [
            Issue.of(error, f"metric {metric}", f"{place}, corpus {corpus}")
            for corpus, metric, error in drawn.value.errors
        ]
        if not drawn.value.curves:
            none = f"system {self.system.name}: no curve: no metric here adds up over words"
            issues.append(Issue.note(none))
        return SystemResult(curves=drawn.value.curves, costs=drawn.costs, issues=tuple(issues))

    def _training_counts(
        self, bound: BoundSegmenter, cuts: Cuts, parts: Sequence[SystemResult]
    ) -> SystemResult:
        """Count the tokens of the training text at each listed size that was scored."""
        scored = {key.size for part in parts for key in part.outcomes}
        listed = {
            str(size): cut for size, cut in cuts.items() if size is not None and size in scored
        }
        if self.repeat or not listed:
            return SystemResult()
        self._say(TRAINING_TOKENS)
        job = partial(self._counted, bound, listed)
        counted = attempt(
            f"{where(self.system, None)}: {TRAINING_TOKENS}", job, self._step(TRAINING_TOKENS)
        )
        return SystemResult(
            training_counts=counted.value or (), costs=counted.costs, issues=counted.issues
        )

    def _counted(self, bound: BoundSegmenter, listed: Mapping[str, Vocabulary]) -> Any:
        return tuple(training_counts(self.text.words, bound, listed))

    def _say(self, what: str, size: Size | None = None) -> None:
        self.progress(f"{self.system.name}: {what} {size or ''}".rstrip())

    def _step(self, step: str, size: Size | None = None) -> CostStep:
        return CostStep(self.system.name, step, "" if size is None else str(size))


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
