"""The smallest baseline: every character is a token."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from tokbench.api import (
    Decision,
    Explanation,
    Learner,
    Marks,
    Segmenter,
    Size,
    Vocabulary,
    hookimpl,
)


class CharLearner(Learner):
    """Know every character of the training text; the size asked for has no effect."""

    sized: ClassVar[bool] = False  # there is one vocabulary only
    order_free: ClassVar[bool] = True  # characters are sorted by code point

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Return all characters in code-point order."""
        return Vocabulary.build(sorted(set().union(*words)), (), segmenter={"use": "char"})


class CharSegmenter(Segmenter):
    """Cut a word into its characters, each with the marks that the vocabulary asks for."""

    fixed_cuts: ClassVar[bool] = True  # the vocabulary only tells which characters are known

    def segment(self, word: str, prepared: Vocabulary) -> Sequence[str]:
        """Return each character as one token; one that the vocabulary lacks is unknown."""
        return prepared.marks.spell(word)

    def segment_many(self, words: Iterable[str], prepared: Vocabulary) -> Iterator[Sequence[str]]:
        """Cut many words, fast where there are no marks."""
        return map(list if prepared.marks == Marks() else prepared.marks.spell, words)

    def explain(self, word: str, prepared: Vocabulary) -> Explanation:
        """Show which characters are known."""
        tokens = prepared.marks.spell(word)
        characters = [{"token": (token,), "known": token in prepared.ids} for token in tokens]
        reason = "each character is a token"
        return Explanation(
            [Decision("characters", characters, range(len(characters)), reason)], tokens
        )


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `char`."""
    return {"char": CharLearner}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `char`."""
    return {"char": CharSegmenter}
