"""One system of an experiment: learn, cut, segment, score; what fails costs only itself."""

from collections.abc import Mapping, Sequence

from tokbench.api import Size, Vocabulary
from tokbench.config import System
from tokbench.errors import SizeError
from tokbench.runner.contexts import Cutter, contexts_of
from tokbench.runner.failures import Failures
from tokbench.runner.learning import TrainingText, learn, learning_runs, training_words
from tokbench.runner.outcome import Context
from tokbench.runner.repeating import values_of
from tokbench.runner.replaying import serve_at_once
from tokbench.runner.training_tokens import Counted, training_tokens
from tokbench.runner.work import Work, scored, segmenter_of, where
from tokbench.sizes.statistics import size_statistics

MADE_ANEW = "its learner makes each size anew"
WHOLE_LINES = "its segmenter cuts whole lines"


def run_system(system: System, work: Work) -> None:
    """Learn a system's vocabularies and score each of its sizes."""
    text = TrainingText(
        training_words(work.corpora.train.words, system.splitter), work.corpora.train.lines
    )
    counted: list[Counted] = []
    for run in learning_runs(system):
        with work.failures.guard(where(system, run)):
            before = len(work.outcomes)
            counted += _run(system, text, run, work)
            if len(work.outcomes) == before:
                continue  # what does not exist has no spread
            for again in range(1, _times(system, work)):
                work.progress(f"{system.name}: learning again ({again + 1})")
                place = work.again()
                _run(system, text, run, place)
                work.repeated += values_of(place.outcomes)
    work.sizes += size_statistics(system.name, counted)


def _times(system: System, work: Work) -> int:
    """Give how often a learner is run: once if it gives the same each time."""
    if system.learner.deterministic:
        return 1
    times = work.experiment.repeats
    what = f"system {system.name}: its learner does not give the same twice, "
    if times == 1:
        what += "and was run once (`repeats: 1`): the spread of its values is not known"
    else:
        what += f"so it was run {times} times; values are those of the first, `repeat-sd` their "
        what += "spread"
    work.failures.note(what)
    return times


def _run(system: System, text: TrainingText, run: Size | None, work: Work) -> list[Counted]:
    """Make one learning run, and score all sizes that it serves."""
    label = "" if run is None else str(run)
    work.progress(f"{system.name}: learning {label}".rstrip())
    prefix = run is None or system.learner.prefix_closed
    served = system.sizes if prefix and run is not None else (run,)
    with work.book.measure(system.name, "learn", label):
        vocabulary = _learned(system, text, run, served, work.failures)
    if vocabulary is None:
        return []
    contexts = contexts_of(system, segmenter_of(system, vocabulary, work.registry)[1])
    work.learned[system.name if prefix else f"{system.name}@{label}"] = vocabulary
    cuts = _cut(system, vocabulary, served, prefix, work)
    why: str | None = MADE_ANEW
    if prefix and run is not None:
        # What is replayed are words alone.
        alone = contexts == ("isolated",)
        why = _at_once(system, vocabulary, cuts, work) if alone else WHOLE_LINES
    if why is not None:
        _note_no_curve(system, why, work.failures)
        for size, cut in cuts.items():
            with work.failures.guard(where(system, size)):
                _serve(system, size, cut, contexts, work)
    return [] if work.repeats else _training_tokens(system, text.words, vocabulary, cuts, work)


def _at_once(
    system: System, vocabulary: Vocabulary, cuts: Mapping[Size | None, Vocabulary], work: Work
) -> str | None:
    """Serve all sizes from one replay, or tell why not; a failure is that of all sizes."""
    with work.failures.guard(where(system, None)):
        return serve_at_once(system, vocabulary, cuts, work)
    return None


def _learned(
    system: System,
    text: TrainingText,
    run: Size | None,
    served: Sequence[Size | None],
    failures: Failures,
) -> Vocabulary | None:
    """Make one learning run; note for each size that it would have served why there is none."""
    try:
        return learn(system, text, run)
    except SizeError as error:
        for size in served:
            failures.note(
                f"{where(system, size)}: left out: its smallest vocabulary has {error.minimum} "
                "tokens"
            )
        return None


def _cut(
    system: System, vocabulary: Vocabulary, served: Sequence[Size | None], prefix: bool, work: Work
) -> dict[Size | None, Vocabulary]:
    """Give the vocabulary of each size that exists, and note which sizes are not as asked."""
    cuts = {}
    for size in served:
        with work.failures.guard(where(system, size)):
            cut = vocabulary.cut(size) if prefix and size is not None else vocabulary
            _note_too_small(system, size, cut, work.failures)
            cuts[size] = cut
    return cuts


def _note_too_small(
    system: System, size: Size | None, vocabulary: Vocabulary, failures: Failures
) -> None:
    """Note where a size was not reached; merges are not counted where the learner names none."""
    learned = len(vocabulary.learned)
    told = bool(vocabulary.alphabet) or learned > 0
    if size is None or (size.total is None and not told) or size.reached(vocabulary.size, learned):
        return
    merges = f" ({learned} learned)" if told else ""
    failures.note(f"{where(system, size)}: learning gave only {vocabulary.size} tokens{merges}")


def _note_no_curve(system: System, why: str, failures: Failures) -> None:
    if system.span is not None and system.span.curve:
        failures.note(f"system {system.name}: no curve: {why}")


def _serve(
    system: System,
    size: Size | None,
    vocabulary: Vocabulary,
    contexts: Sequence[Context],
    work: Work,
) -> None:
    """Segment and score one size, in each context."""
    label = "" if size is None else str(size)
    name, segmenter = segmenter_of(system, vocabulary, work.registry)
    work.progress(f"{system.name}: segmenting and scoring {label}".rstrip())
    with work.book.measure(system.name, "segment", label):
        prepared = segmenter.prepare(vocabulary)
        cutter = Cutter(vocabulary, segmenter, prepared, system.splitter)
        found = [cutter.cut(work.corpora.tests, contexts, place) for place in contexts]
    for context, segmentations in zip(contexts, found, strict=True):
        beside = context != contexts[0]
        work.outcomes.append(
            scored(system, name, size, vocabulary, segmentations, work, context, beside)
        )


def _training_tokens(
    system: System,
    words: Mapping[str, int],
    vocabulary: Vocabulary,
    cuts: Mapping[Size | None, Vocabulary],
    work: Work,
) -> list[Counted]:
    """Count the tokens of the training text at each listed size that was scored."""
    there = {outcome.size for outcome in work.outcomes if outcome.system is system}
    listed = {str(size): cut for size, cut in cuts.items() if size is not None and size in there}
    if not listed:
        return []
    what = "tokens of the training text"
    work.progress(f"{system.name}: {what}")
    guarded = work.failures.guard(f"{where(system, None)}: {what}")
    with guarded, work.book.measure(system.name, what):
        _, segmenter = segmenter_of(system, vocabulary, work.registry)
        return list(training_tokens(words, vocabulary, listed, segmenter))
    return []
