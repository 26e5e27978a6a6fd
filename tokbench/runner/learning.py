"""Learn the vocabularies of one system: once where sizes can be cut, else once a size."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from tokbench.api import Learner, Size, Vocabulary
from tokbench.config import Experiment, System
from tokbench.corpora.words import TrainingText
from tokbench.errors import BrokenPromiseError
from tokbench.issues import Issue, Location, attempt


def learning_runs(system: System) -> Iterator[tuple[Size | None, Sequence[Size | None]]]:
    """Return the sizes that `learn` is called with, each with the listed sizes that it serves.

    None stands for a learner that takes no size.
    """
    if not system.learner.sized:
        yield None, (None,)
    elif system.learner.prefix_closed:
        # A smaller vocabulary is a prefix of a larger one, so the largest is learned for all.
        ends = () if system.span is None else (system.span.last,)
        yield max((*system.sizes, *ends), key=lambda size: size.number), system.sizes
    else:
        yield from ((size, (size,)) for size in system.sizes)


def learning_counts(experiment: Experiment) -> tuple[int, int]:
    """Return how often an experiment calls `learn`, and how often again for what varies."""
    once = repeated = 0
    for system in experiment.systems:
        if system.learner.reads == "nothing":
            continue
        runs = sum(1 for _ in learning_runs(system))
        repeats = 0 if system.learner.deterministic else experiment.repeats - 1
        once += runs
        shares = sum(share < 1 for share in experiment.training_shares)
        repeated += runs * (repeats + system.training_samples + shares)
    return once, repeated


def too_small(system: System, words: Mapping[str, int], sizes: Sequence[Size]) -> Sequence[Issue]:
    """Note once for all sizes that do not exist, with the reason as the learner gives it."""
    refused: dict[Size, str] = {}
    for size in sizes:
        here = Location(system.name)
        checked = attempt(here, partial(system.learner.check_size, words, size))
        for issue in checked.issues:
            if issue.failed:
                return [replace(issue, where=replace(here, part="check_size"))]
            refused[size] = issue.cause
    if not refused:
        return []
    return [Issue("refused", [*refused.values()][-1], Location(system.name, (*refused,)))]


def learn(learner: Learner, text: TrainingText, size: Size | None) -> Vocabulary:
    """Learn once, from what the learner reads, and check what it returns; None asks for no size.

    Raises SizeError where that size does not exist, BrokenPromiseError for anything but a
    vocabulary of at most that size that a file can hold.
    """
    vocabulary = vocabulary_of(learner, text, size or Size(total=0))
    # A class of a plugin's own could neither be kept nor leave its process.
    if type(vocabulary) is not Vocabulary:
        raise BrokenPromiseError(f"learn gave {type(vocabulary).__name__}, not a Vocabulary")
    vocabulary = _as_in_file(vocabulary)
    if size is not None:
        _check_size(vocabulary, size)
    return vocabulary


def _as_in_file(vocabulary: Vocabulary) -> Vocabulary:
    """Return the vocabulary as a file gives it back, so that one from the cache is no other.

    Raises BrokenPromiseError for parts of it that no file can hold.
    """
    for name in ("extra", "segmenter"):
        own = dict(getattr(vocabulary, name))
        try:
            plain = json.loads(json.dumps(own, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise BrokenPromiseError(f"the vocabulary's `{name}` is no JSON: {error}") from None
        if plain != own:
            vocabulary = replace(vocabulary, **{name: plain})
    return vocabulary


def _check_size(vocabulary: Vocabulary, size: Size) -> None:
    """Raise BrokenPromiseError for a vocabulary above its size, which smaller ones stand beside."""
    number, items = len(vocabulary.learned), "learned items"
    if size.total is not None:
        number, items = vocabulary.size, "tokens"
    if number > size.number:
        raise BrokenPromiseError(
            f"learn gave {number:,} {items}, more than the {size.number:,} asked for: return "
            "`vocabulary.cut(size)`"
        )


def vocabulary_of(learner: Learner, text: TrainingText, size: Size) -> Vocabulary:
    """Call the method that serves what a learner reads."""
    if learner.reads == "nothing":
        return learner.load()
    if learner.reads == "lines":
        return learner.learn_lines(text.lines, size)
    return learner.learn(text.words, size)
