"""Syllables as tokens, and a metric of words that fall to pieces."""

import re
from collections import Counter

from pydantic import Field

from tokbench.api import Learned, Learner, Metric, Segmenter, Vocabulary, hookimpl

SYLLABLE = re.compile("[^aeiouy]*[aeiouy]+|[^aeiouy]+", re.IGNORECASE)


class SyllableLearner(Learner):
    """Know every character, then the syllables that occur in the most words."""

    def learn(self, words, size):
        counts = Counter(part for word in words for part in SYLLABLE.findall(word))
        learned = [Learned((part,), count) for part, count in counts.most_common()]
        letters, name = sorted(set("".join(words))), {"use": "syllables"}
        return Vocabulary.build(letters, learned, segmenter=name).cut(size)


class SyllableSegmenter(Segmenter):
    """Cut a word into syllables, and those that the vocabulary lacks into characters."""

    def segment(self, word, prepared):
        return [t for s in SYLLABLE.findall(word) for t in ([s] if s in prepared.ids else s)]


class ShatteredWords(Metric):
    """The share of running words that are cut into more than a few tokens."""

    formula, range, better = "words of more than `pieces` tokens / words", (0.0, 1.0), "lower"
    pieces: int = Field(3, ge=1, description="the most tokens that a word may have")

    def count(self, segmentation):
        return {"shattered": segmentation.tokens > self.pieces, "words": segmentation.chars > 0}

    def score(self, sums, vocabulary_size):
        return sums["shattered"] / sums["words"]


tokbench_learners = hookimpl(lambda: {"syllables": SyllableLearner})
tokbench_segmenters = hookimpl(lambda: {"syllables": SyllableSegmenter})
tokbench_metrics = hookimpl(lambda: {"shattered-words": ShatteredWords})
