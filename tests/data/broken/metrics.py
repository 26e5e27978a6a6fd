"""Metrics that each break a promise, besides two that keep all."""

from itertools import count
from math import inf

from tokbench.api import Metric, hookimpl

CALLS = count()


class Good(Metric):
    """The mean number of tokens of a word."""

    formula = "tokens / words"
    range = (0.0, inf)

    def count(self, segmentation):
        return {"tokens": segmentation.tokens, "words": segmentation.tokens * 0 + 1}

    def score(self, sums, vocabulary_size):
        return sums["tokens"] / sums["words"]


class GoodTotal(Good):
    """The number of tokens, which is 0 where there is no text."""

    def score(self, sums, vocabulary_size):
        return sums["tokens"]


class StatesForWords(Good):
    """Takes each state for a word, though words may have several in context."""

    def count(self, segmentation):
        return {**super().count(segmentation), "words": 1 / segmentation.count}


class OutOfRange(Good):
    """Promises a share, though words have more than one token."""

    range = (0.0, 1.0)


class Infinite(Good):
    """Divides a number of tokens by zero."""

    def score(self, sums, vocabulary_size):
        return sums["tokens"] / (0 * sums["tokens"])


class ZeroForNothing(Good):
    """Returns 0 where there is no word."""

    def score(self, sums, vocabulary_size):
        return sums["tokens"] / (sums["words"] + (sums["words"] == 0))


class SharesOfCorpus(Good):
    """Counts shares of the whole corpus."""

    def count(self, segmentation):
        tokens = segmentation.tokens
        return {"tokens": tokens / tokens.sum(), "words": tokens * 0 + 1}


class OneAtATime(Good):
    """Takes sums for plain numbers."""

    def score(self, sums, vocabulary_size):
        return float("nan") if sums["words"].sum() == 0 else sums["tokens"] / sums["words"].sum()


class Numbered(Good):
    """Counts by the number of a word, which only tells when it first occurs."""

    def count(self, segmentation):
        return {"tokens": segmentation.word, "words": segmentation.tokens * 0 + 1}


class WrongRows(Good):
    """Counts tokens instead of words."""

    def count(self, segmentation):
        return {"tokens": segmentation.ids, "words": segmentation.ids}


class Mutates(Good):
    """Changes the arrays that it is given."""

    def count(self, segmentation):
        segmentation.tokens[:] += 1
        return super().count(segmentation)


class OneSize(Good):
    """Cannot tell whether many vocabularies are small."""

    def score(self, sums, vocabulary_size):
        return super().score(sums, vocabulary_size) if vocabulary_size > 1 else sums["words"]


class OtherStates(Good):
    """Counts another thing by state than by line."""

    per = "line"

    def count(self, segmentation):
        tokens = segmentation.sum_lines(segmentation.tokens)
        return {"tokens": tokens, "words": segmentation.sum_lines(segmentation.tokens * 0 + 1)}

    def count_states(self, segmentation):
        return {"tokens": segmentation.tokens + 1, "words": segmentation.tokens * 0 + 1}


class Moody(Good):
    """Counts something else each time."""

    def count(self, segmentation):
        return {**super().count(segmentation), "tokens": segmentation.tokens + next(CALLS)}


@hookimpl
def tokbench_metrics():
    return {
        "good": Good,
        "good-total": GoodTotal,
        "states-for-words": StatesForWords,
        "out-of-range": OutOfRange,
        "infinite": Infinite,
        "zero-for-nothing": ZeroForNothing,
        "shares-of-corpus": SharesOfCorpus,
        "one-at-a-time": OneAtATime,
        "numbered": Numbered,
        "wrong-rows": WrongRows,
        "mutates": Mutates,
        "one-size": OneSize,
        "other-states": OtherStates,
        "moody": Moody,
    }
