"""The other baseline: the most frequent words are the tokens, and every other word is unknown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

from tokbench.api import (
    Decision,
    Explanation,
    Learned,
    Learner,
    Segmenter,
    Size,
    Vocabulary,
    hookimpl,
)
from tokbench.api.text import BOW, EOW


class WordLearner(Learner):
    """Know the most frequent training words up to the size; equal counts by code point."""

    # Words come in one order, so a smaller vocabulary is a prefix of a larger.
    prefix_closed: ClassVar[bool] = True
    order_free: ClassVar[bool] = True  # counts and code points alone decide

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Return the words by falling count, then by code point; there is no alphabet."""
        limit = size.learned if size.total is None else size.total
        frequent = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:limit]
        learned = [Learned((word,), count) for word, count in frequent]
        return Vocabulary.build((), learned, segmenter={"use": "word"})


class WordSegmenter(Segmenter):
    """Leave a word whole, with the marks that the vocabulary asks for."""

    fixed_cuts: ClassVar[bool] = True  # the vocabulary only tells which words are known
    whole_words: ClassVar[bool] = True  # a token is a word

    def segment(self, word: str, prepared: Vocabulary) -> Sequence[str]:
        """Return the word as one token; one that the vocabulary lacks is unknown."""
        return next(self.segment_many([word], prepared))

    def segment_many(self, words: Iterable[str], prepared: Vocabulary) -> Iterator[Sequence[str]]:
        """Return each word as one token."""
        begin = "" if prepared.marks.bow.kind == "absent" else BOW
        end = "" if prepared.marks.eow.kind == "absent" else EOW
        return ([begin + word + end] for word in words)

    def explain(self, word: str, prepared: Vocabulary) -> Explanation:
        """Show whether the word is known."""
        tokens = self.segment(word, prepared)
        candidate = {"token": (tokens[0],), "known": tokens[0] in prepared.ids}
        return Explanation([Decision("word", [candidate], [0], "each word is a token")], tokens)


@hookimpl
def tokbench_learners() -> Mapping[str, type[Learner]]:
    """Offer the learner `word`."""
    return {"word": WordLearner}


@hookimpl
def tokbench_segmenters() -> Mapping[str, type[Segmenter]]:
    """Offer the segmenter `word`."""
    return {"word": WordSegmenter}
