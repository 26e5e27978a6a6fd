"""Syllables as tokens, and a metric that tells how many words fall to pieces."""

import re
from collections import Counter

from pydantic import Field

from tokbench.api import AdditiveMetric, Learned, Learner, Segmenter, Vocabulary, hookimpl


def syllables(word, vowels):
    return re.findall(f"[^{vowels}]*[{vowels}]+|[^{vowels}]+", word, re.IGNORECASE)


class SyllableLearner(Learner):
    """Know every character, then the syllables that stand in the most words."""

    vowels: str = Field("aeiouy", pattern=r"^\w+$", description="the letters that end a syllable")

    @property
    def prefix_closed(self):
        return True

    def learn(self, words, size):
        counts = Counter(part for word in words for part in syllables(word, self.vowels))
        return Vocabulary.build(
            alphabet=sorted(set("".join(words))),
            learned=[Learned((part,), count) for part, count in counts.most_common()],
            segmenter={"use": "syllables"},
            extra={"vowels": self.vowels},
        ).cut(size)


class SyllableSegmenter(Segmenter):
    """Cut a word into syllables, and those that the vocabulary lacks into characters."""

    def segment(self, word, prepared):
        parts = syllables(word, prepared.extra["vowels"])
        return [token for part in parts for token in ([part] if part in prepared.ids else part)]


class ShatteredWords(AdditiveMetric):
    """The share of running words that are cut into more than a few tokens."""

    formula = "running words of more than `pieces` tokens / running words"
    range = (0.0, 1.0)
    better = "lower"
    pieces: int = Field(3, ge=1, description="the most tokens that a word may have")

    def count(self, segmentation):
        return {"shattered": segmentation.tokens > self.pieces, "words": segmentation.chars > 0}

    def score(self, sums, vocabulary_size):
        return sums["shattered"] / sums["words"]


@hookimpl
def tokbench_learners():
    return {"syllables": SyllableLearner}


@hookimpl
def tokbench_segmenters():
    return {"syllables": SyllableSegmenter}


@hookimpl
def tokbench_metrics():
    return {"shattered-words": ShatteredWords}
