"""The learning loop as textbooks print it: count pairs, choose one, merge it everywhere.

The variants differ in two arguments: the textbook, which merges a pair in one word, and the rule
that chooses among equally frequent pairs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise

from tokbench.api import Learned, Marks, Size, Step, Vocabulary
from tokbench_bpe.learn.ties import Ties
from tokbench_bpe.textbook.corpus import Corpus, Symbols
from tokbench_bpe.textbook.merge import MergeKind, Pair, Textbook, Word, textbook_of

Choose = Callable[[Set[Pair], Iterable[Symbols]], Pair]
"""A function that chooses one of several pairs; each of them occurs in the words."""

Candidates = Callable[[Sequence[Symbols], Corpus], Mapping[Pair, float]]
"""Rates each pair that may be merged in the words."""


def learn(
    corpus: Corpus,
    alphabet: Iterable[str],
    textbook: Textbook[Word],
    choose: Choose,
    minimum: int,
    size: Size,
) -> tuple[Learned, ...]:
    """Merge the most frequent pair until the size is reached or none reaches the `minimum`."""
    words = list(map(textbook.hold, corpus.words))
    counts = count_pairs(corpus.words, corpus)
    learned: list[Learned] = []
    tokens = set(alphabet)
    while counts and not size.reached(len(tokens), len(learned)):
        most = max(counts.values())
        if most < minimum:
            break
        equals = {pair for pair, count in counts.items() if count == most}
        pair = choose(equals, map(textbook.symbols, words))
        for number, before, after in merge_everywhere(words, pair, textbook):
            # The counts of all other words stay as they are.
            add_pairs(counts, before, -corpus.counts[number], corpus)
            add_pairs(counts, after, corpus.counts[number], corpus)
        learned.append(Learned(pair, most))
        # The merge by plain replacement may build a token twice.
        tokens.add(Marks.join(pair))
    return tuple(learned)


def tie_rule(ties: Ties, marks: Marks) -> Choose:
    """Return the function that chooses among equally frequent pairs.

    `greatest` and `smallest` compare the spelled pairs by code points, and the raw pairs where
    marks are spelled as the text spells something else; `first` takes the pair that stands first
    in the words.
    """
    if ties == "first":
        return lambda equals, words: next(
            pair for word in words for pair in pairwise(word) if pair in equals
        )

    def spelled(pair: Pair) -> tuple[str, ...]:
        return (marks.show(pair[0]), marks.show(pair[1]), *pair)

    best = max if ties == "greatest" else min
    return lambda equals, _: best(equals, key=spelled)


def count_pairs(words: Iterable[Symbols], corpus: Corpus) -> dict[Pair, int]:
    """Count all neighbouring symbols that may be merged, in the order in which they stand."""
    counts: dict[Pair, int] = {}
    for symbols, count in zip(words, corpus.counts, strict=True):
        add_pairs(counts, symbols, count, corpus)
    return counts


def add_pairs(counts: dict[Pair, int], symbols: Symbols, count: int, corpus: Corpus) -> None:
    """Add a word's count to those of its pairs; leave out pairs never merged, and those gone."""
    for pair in pairwise(symbols):
        if corpus.blocked.isdisjoint(pair):
            counts[pair] = counts.get(pair, 0) + count
            if not counts[pair]:
                del counts[pair]


def merge_everywhere(
    words: list[Word], pair: Pair, textbook: Textbook[Word]
) -> Iterator[tuple[int, Symbols, Symbols]]:
    """Merge one pair in all words, in place; yield (number, before, after) of each that changes."""
    merge, held, product = textbook.merge, textbook.hold(pair), Marks.join(pair)
    for number, before in enumerate(words):
        after = merge(before, held, product)
        if after is not before:
            words[number] = after
            yield number, textbook.symbols(before), textbook.symbols(after)


def trace(
    words: Mapping[str, int],
    vocabulary: Vocabulary,
    kind: MergeKind = "list",
    candidates: Candidates = count_pairs,
) -> Iterator[Step]:
    """Merge again what a vocabulary learned from words, and yield how each merge came about.

    The first step, number 0, is the state before any merge.
    """
    corpus = Corpus.spell(words, vocabulary.marks, vocabulary.alphabet)
    textbook = textbook_of(kind, corpus.words)
    held, merged = list(map(textbook.hold, corpus.words)), corpus.words

    def state() -> dict[tuple[str, ...], int]:
        return dict(zip(map(tuple, merged), corpus.counts, strict=True))

    yield Step(0, {}, (), state())
    for number, item in enumerate(vocabulary.learned, start=1):
        rated = candidates(merged, corpus)
        left, right = item.parts
        for _ in merge_everywhere(held, (left, right), textbook):
            pass
        merged = list(map(textbook.symbols, held))
        yield Step(number, dict(rated.items()), item.parts, state())
