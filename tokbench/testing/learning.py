"""Learning for the checks, from words or from the lines in which they stand."""

from collections.abc import Iterator, Mapping

from tokbench.api import Learner, Size, SizeError, Vocabulary
from tokbench.corpora.words import TrainingText
from tokbench.runner.learning import vocabulary_of
from tokbench.testing.promise import PromiseError, checking, expect, short


class CountedLines:
    """Lines in which each word stands as often as it is counted; they can only be gone through."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self._words = words

    def __iter__(self) -> Iterator[str]:
        """Iterate over the lines: line `n` has all words that are counted more than `n` times."""
        for number in range(max(self._words.values(), default=0)):
            yield " ".join(word for word, count in self._words.items() if count > number)


def learned(learner: Learner, words: Mapping[str, int], size: Size) -> Vocabulary:
    """Learn from whatever the learner reads; raises what it raises."""
    return vocabulary_of(learner, TrainingText(words, CountedLines(words)), size)


def learn(learner: Learner, words: Mapping[str, int], size: Size) -> Vocabulary | SizeError:
    """Learn, giving the SizeError where that size does not exist."""
    what = f"the words {short(list(words))} and size {size}"
    with checking(what):
        try:
            vocabulary = learned(learner, words, size)
        except SizeError as error:
            return error
    expect(isinstance(vocabulary, Vocabulary), what, vocabulary, "a Vocabulary")
    return vocabulary


def learn_some(learner: Learner, words: Mapping[str, int], more: int = 60) -> Vocabulary:
    """Learn a vocabulary of `more` tokens, or of so many above the smallest that exists."""
    found = learn(learner, words, Size(total=more))
    if isinstance(found, SizeError):
        found = learn(learner, words, Size(total=found.minimum + more))
    if isinstance(found, SizeError):
        raise PromiseError(f"a SizeError named the minimum {found.minimum}, then again")
    return found
