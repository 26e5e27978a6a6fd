"""One system of an experiment: learn, cut, segment, score; what fails costs only itself."""

from collections.abc import Mapping, Sequence

from tokbench.api import Size, Vocabulary
from tokbench.config import System
from tokbench.errors import SizeError
from tokbench.runner.failures import Failures
from tokbench.runner.learning import learn, learning_runs, training_words
from tokbench.runner.replaying import serve_at_once
from tokbench.runner.segmenting import segment
from tokbench.runner.sizing import sizings
from tokbench.runner.training_tokens import Counted, training_tokens
from tokbench.runner.work import Work, scored, segmenter_of, where

MADE_ANEW = "its learner makes each size anew"


def run_system(system: System, work: Work) -> None:
    """Learn a system's vocabularies and score each of its sizes."""
    words = training_words(work.corpora.train.words, system.splitter)
    counted: list[Counted] = []
    for run in learning_runs(system):
        label = "" if run is None else str(run)
        work.progress(f"{system.name}: learning {label}".rstrip())
        prefix = run is None or system.learner.prefix_closed
        served = system.sizes if prefix and run is not None else (run,)
        with work.failures.guard(where(system, run)):
            with work.book.measure(system.name, "learn", label):
                vocabulary = _learned(system, words, run, served, work.failures)
            if vocabulary is None:
                continue
            work.learned[system.name if prefix else f"{system.name}@{label}"] = vocabulary
            cuts = _cut(system, vocabulary, served, prefix, work)
            several = prefix and run is not None
            why = _at_once(system, vocabulary, cuts, work) if several else MADE_ANEW
            if why is not None:
                _note_no_curve(system, why, work.failures)
                for size, cut in cuts.items():
                    with work.failures.guard(where(system, size)):
                        _serve(system, size, cut, work)
            counted += _training_tokens(system, words, vocabulary, cuts, work)
    work.sizings += sizings(system.name, counted)


def _at_once(
    system: System, vocabulary: Vocabulary, cuts: Mapping[Size | None, Vocabulary], work: Work
) -> str | None:
    """Serve all sizes from one replay, or tell why not; a failure is that of all sizes."""
    with work.failures.guard(where(system, None)):
        return serve_at_once(system, vocabulary, cuts, work)
    return None


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
            if size is not None and not size.reached(cut.size, len(cut.learned)):
                work.failures.note(
                    f"{where(system, size)}: the training text allows only {cut.size} tokens "
                    f"({len(cut.learned)} learned)"
                )
            cuts[size] = cut
    return cuts


def _note_no_curve(system: System, why: str, failures: Failures) -> None:
    if system.span is not None and system.span.curve:
        failures.note(f"system {system.name}: no curve: {why}")


def _serve(system: System, size: Size | None, vocabulary: Vocabulary, work: Work) -> None:
    """Segment and score one size."""
    label = "" if size is None else str(size)
    name, segmenter = segmenter_of(system, vocabulary, work.registry)
    work.progress(f"{system.name}: segmenting and scoring {label}".rstrip())
    with work.book.measure(system.name, "segment", label):
        prepared = segmenter.prepare(vocabulary)
        found = {
            test.name: segment(test.words, vocabulary, segmenter, prepared, system.splitter)
            for test in work.corpora.tests
        }
    work.outcomes.append(scored(system, name, size, vocabulary, found, work))


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
