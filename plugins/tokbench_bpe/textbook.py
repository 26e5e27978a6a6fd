"""The learning loop as textbooks print it: count all pairs, choose one, merge it everywhere."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from tokbench.api import Learned, Marks, Step
from tokbench_bpe.corpus import Corpus, Pair
from tokbench_bpe.ties import Ties, best_pair


class Words(Protocol):
    """The training words while they are merged; each textbook keeps them in its own way."""

    def symbols(self) -> Iterable[Sequence[str]]:
        """Give each word as its symbols."""

    def merge(self, pair: Pair) -> None:
        """Merge one pair in all words."""


def merges(
    words: Words, corpus: Corpus, ties: Ties, marks: Marks, minimum: int
) -> Iterator[Learned]:
    """Merge the most frequent pair until none reaches the `minimum` count."""
    while counts := count_pairs(words, corpus):
        pair = best_pair(counts, ties, marks)
        if counts[pair] < minimum:
            return
        words.merge(pair)
        yield Learned(pair, counts[pair])


def replay(words: Words, corpus: Corpus, learned: Iterable[Learned]) -> Iterator[Step]:
    """Merge what was learned and tell after each merge how it came about."""
    for number, item in enumerate(learned, start=1):
        counts = count_pairs(words, corpus)
        left, right = item.parts
        words.merge((left, right))
        after = zip(map(tuple, words.symbols()), corpus.counts, strict=True)
        yield Step(number, dict(counts.items()), item.parts, dict(after))


def count_pairs(words: Words, corpus: Corpus) -> dict[Pair, int]:
    """Count all neighbouring symbols that may be merged, in the order in which they stand."""
    counts: dict[Pair, int] = {}
    for symbols, count in zip(words.symbols(), corpus.counts, strict=True):
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + count
    if not corpus.blocked:
        return counts
    return {pair: count for pair, count in counts.items() if corpus.blocked.isdisjoint(pair)}
