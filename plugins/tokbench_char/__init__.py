"""The smallest baseline: every character is a token."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tokbench.api import Learner, Segmenter, Size, Vocabulary, hookimpl

if TYPE_CHECKING:
    from tokbench.api import States


class CharLearner(Learner):
    """Know every character of the training text; the size asked for has no effect."""

    @property
    def sized(self) -> bool:
        """There is one vocabulary only."""
        return False

    @property
    def order_free(self) -> bool:
        """Characters are sorted by code point."""
        return True

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Give all characters in code-point order."""
        return Vocabulary.build(sorted(set().union(*words)), (), segmenter={"use": "char"})


class CharSegmenter(Segmenter):
    """Cut a word into its characters, each with the marks that the vocabulary asks for."""

    def segment(self, word: str, prepared: Vocabulary) -> Sequence[str]:
        """Give each character as one token; one that the vocabulary lacks is unknown."""
        return prepared.marks.spell(word)

    def timeline(self, words: Sequence[str], prepared: Vocabulary, since: int = 0) -> "States":
        """Give the characters of all words, from the first size on at which each is known."""
        # NumPy stays off the start-up path.
        from tokbench_char.timeline import timeline

        return timeline(words, prepared, since)


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `char`."""
    return {"char": CharLearner}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `char`."""
    return {"char": CharSegmenter}
