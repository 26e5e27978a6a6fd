"""The learning loop as textbooks print it: count pairs, choose one, merge it everywhere."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

from tokbench.api import Learned, Marks, Step
from tokbench_bpe.corpus import Corpus, Pair
from tokbench_bpe.ties import Ties, best_pair

Word = TypeVar("Word")
Symbols = Sequence[str]


class Change(NamedTuple):
    """What a merge did to one word: its number, and its symbols before and after."""

    number: int
    before: Symbols
    after: Symbols


class Words(ABC, Generic[Word]):
    """The training words while they are merged; each textbook keeps a word in its own way."""

    def __init__(self, words: Iterable[Word]) -> None:
        self.words = list(words)

    @abstractmethod
    def split(self, word: Word) -> Symbols:
        """Give the symbols of one word."""

    @abstractmethod
    def merger(self, pair: Pair) -> Callable[[Word], Word]:
        """Give a function that merges one pair in a word, or gives the word as it is."""

    def symbols(self) -> Iterable[Symbols]:
        """Give each word as its symbols."""
        return map(self.split, self.words)

    def merge(self, pair: Pair) -> list[Change]:
        """Merge one pair in all words; give what changed."""
        before, self.words = self.words, list(map(self.merger(pair), self.words))
        return [
            Change(number, self.split(old), self.split(new))
            for number, (old, new) in enumerate(zip(before, self.words, strict=True))
            if old is not new
        ]


def merges(
    words: Words[Word], corpus: Corpus, ties: Ties, marks: Marks, minimum: int
) -> Iterator[Learned]:
    """Merge the most frequent pair until none reaches the `minimum` count."""
    counts = count_pairs(words, corpus)
    while counts:
        pair = best_pair(counts, words.symbols(), ties, marks)
        count = counts[pair]
        if count < minimum:
            return
        for change in words.merge(pair):
            recount(counts, change, corpus)
        yield Learned(pair, count)


def replay(words: Words[Word], corpus: Corpus, learned: Iterable[Learned]) -> Iterator[Step]:
    """Merge what was learned and tell after each merge how it came about."""
    for number, item in enumerate(learned, start=1):
        counts = count_pairs(words, corpus)
        left, right = item.parts
        words.merge((left, right))
        after = zip(map(tuple, words.symbols()), corpus.counts, strict=True)
        yield Step(number, dict(counts.items()), item.parts, dict(after))


def count_pairs(words: Words[Word], corpus: Corpus) -> dict[Pair, int]:
    """Count all neighbouring symbols that may be merged, in the order in which they stand."""
    counts: dict[Pair, int] = {}
    for symbols, count in zip(words.symbols(), corpus.counts, strict=True):
        add_pairs(counts, symbols, count, corpus)
    return counts


def recount(counts: dict[Pair, int], change: Change, corpus: Corpus) -> None:
    """Count the pairs of a word that changed; the counts of all others stay as they are."""
    count = corpus.counts[change.number]
    add_pairs(counts, change.before, -count, corpus)
    add_pairs(counts, change.after, count, corpus)


def add_pairs(counts: dict[Pair, int], symbols: Symbols, count: int, corpus: Corpus) -> None:
    """Add a word's count to those of its pairs; leave out pairs never merged, and those gone."""
    for pair in pairwise(symbols):
        if corpus.blocked.isdisjoint(pair):
            counts[pair] = counts.get(pair, 0) + count
            if not counts[pair]:
                del counts[pair]
