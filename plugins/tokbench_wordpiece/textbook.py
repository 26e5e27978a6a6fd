"""The merges as textbooks show them: the scores of all pairs, and the words after each merge."""

from collections import Counter
from collections.abc import Iterable, Iterator

from tokbench_bpe.corpus import Corpus
from tokbench_bpe.listmerge import SymbolLists
from tokbench_bpe.textbook import count_pairs

from tokbench.api import Learned, Step


def replay(corpus: Corpus, learned: Iterable[Learned]) -> Iterator[Step]:
    """Merge what was learned and tell after each merge how it came about."""
    words = SymbolLists(corpus.words)
    for number, item in enumerate(learned, start=1):
        candidates = scores(words, corpus)
        left, right = item.parts
        words.merge((left, right))
        after = zip(map(tuple, words.symbols()), corpus.counts, strict=True)
        yield Step(number, candidates, item.parts, dict(after))


def scores(words: SymbolLists, corpus: Corpus) -> dict[tuple[str, ...], float]:
    """Give count(pair) / (count(left) * count(right)) for all pairs, in the order of the text."""
    counts: Counter[str] = Counter()
    for symbols, count in zip(words.symbols(), corpus.counts, strict=True):
        for symbol in symbols:
            counts[symbol] += count
    pairs = count_pairs(words, corpus)
    return {pair: count / (counts[pair[0]] * counts[pair[1]]) for pair, count in pairs.items()}
