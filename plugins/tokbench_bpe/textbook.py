"""Byte pair encoding as textbooks print it: count pairs, choose one, merge it everywhere.

The variants differ in two arguments: the textbook, which merges a pair in one word, and the rule
that chooses among equally frequent pairs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, pairwise
from typing import Any, Generic, Literal, TypeVar

from tokbench.api import Learned, Marks, Size, Step, Vocabulary
from tokbench_bpe.alphabet import SymbolNumbers

Symbols = list[str]
Pair = tuple[str, str]
Word = TypeVar("Word", Symbols, str)

MergeKind = Literal["list", "regex", "replace"]
Ties = Literal["greatest", "smallest", "first"]

Choose = Callable[[Set[Pair], Iterable[Symbols]], Pair]
"""A function that chooses one of several pairs; each of them occurs in the words."""

Candidates = Callable[[Sequence[Symbols], "Corpus"], Mapping[Pair, float]]
"""Rates each pair that may be merged in the words."""

PRIVATE_USE = range(0xE000, 0x110000)


@dataclass(frozen=True)
class Corpus:
    """Each distinct word as its symbols, in order of first occurrence, with its count.

    `blocked` are the symbols that take no part in merges: fenced marks and letters that the
    alphabet does not hold.
    """

    words: list[Symbols]
    counts: list[int]
    blocked: frozenset[str]

    @classmethod
    def spell(cls, words: Mapping[str, int], marks: Marks, alphabet: Iterable[str]) -> "Corpus":
        """Split counted words into symbols as the marks say."""
        spelled = [marks.spell(word) for word in words]
        used = {symbol for symbols in spelled for symbol in symbols}
        return cls(spelled, list(words.values()), marks.fenced | (used - set(alphabet)))


@dataclass(frozen=True)
class Textbook(Generic[Word]):
    """A kind of textbook program: how it stores the symbols of a word, and merges a pair there."""

    hold: Callable[[Iterable[str]], Word]
    symbols: Callable[[Word], Symbols]
    merge: Callable[[Word, Word, str], Word]


def learn(
    words: Mapping[str, int],
    spelling: SymbolNumbers,
    marks: Marks,
    ties: Ties,
    minimum: int,
    size: Size,
    kind: MergeKind = "list",
) -> tuple[Learned, ...]:
    """Merge the most frequent pair until the size is reached or none reaches the `minimum`."""
    corpus = Corpus.spell(words, marks, spelling.alphabet)
    textbook, choose = textbook_of(kind, corpus.words), tie_rule(ties, marks)
    spelled = list(map(textbook.hold, corpus.words))
    counts = count_pairs(corpus.words, corpus)
    learned: list[Learned] = []
    tokens = set(spelling.alphabet)
    while counts and not size.reached(len(tokens), len(learned)):
        most = max(counts.values())
        if most < minimum:
            break
        equals = {pair for pair, count in counts.items() if count == most}
        pair = choose(equals, map(textbook.symbols, spelled))
        for number, before, after in merge_everywhere(spelled, pair, textbook):
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
    merge, spelled, product = textbook.merge, textbook.hold(pair), Marks.join(pair)
    for number, before in enumerate(words):
        after = merge(before, spelled, product)
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
    spelled, merged = list(map(textbook.hold, corpus.words)), corpus.words

    def state() -> dict[tuple[str, ...], int]:
        return dict(zip(map(tuple, merged), corpus.counts, strict=True))

    yield Step(0, {}, (), state())
    for number, item in enumerate(vocabulary.learned, start=1):
        rated = candidates(merged, corpus)
        left, right = item.parts
        for _ in merge_everywhere(spelled, (left, right), textbook):
            pass
        merged = list(map(textbook.symbols, spelled))
        yield Step(number, dict(rated.items()), item.parts, state())


# One merge in one word, as three kinds of textbook programs do it. Each function replaces a pair
# of neighbouring symbols by their product, from left to right, and returns the very word that it
# was given where the pair does not stand.


def textbook_of(kind: MergeKind, words: Iterable[Symbols]) -> Textbook[Any]:
    """Return the textbook that merges in these words as the option `merge` says."""
    if kind == "list":
        return LISTS
    space = unused_character(words)
    merge = partial(merge_regex, space) if kind == "regex" else merge_replace
    return Textbook(space.join, lambda word: word.split(space), merge)


def merge_list(symbols: Symbols, pair: Iterable[str], product: str) -> Symbols:
    """Merge as course programs do: walk the list of symbols from left to right.

    >>> merge_list(["a", "a", "a", "b"], ("a", "a"), "aa")
    ['aa', 'a', 'b']
    """
    left, right = pair
    if left not in symbols or right not in symbols:
        return symbols
    merged = []
    i = 0
    while i < len(symbols):
        if symbols[i] == left and i + 1 < len(symbols) and symbols[i + 1] == right:
            merged.append(product)
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


LISTS = Textbook[Symbols](list, lambda word: word, merge_list)


def merge_regex(space: str, word: str, pair: str, product: str) -> str:
    """Merge by a regular expression on space-joined symbols, as the paper of 2016 prints it.

    Two things differ from the paper: the look-arounds ask for the space that joins the symbols,
    not for any white space, and the product is put in by a function, since a replacement string
    would read its backslashes. Without these, symbols that hold NBSP or a backslash are merged
    wrongly.

    >>> merge_regex(" ", "aa b a b", "a b", "ab")
    'aa b ab'
    """
    return pair_pattern(pair, space).sub(lambda _: product, word) if pair in word else word


@lru_cache(maxsize=1)  # one pair is merged in all words before the next
def pair_pattern(pair: str, space: str) -> re.Pattern[str]:
    """Return the pattern of a pair that stands between spaces or the ends of its word."""
    border = f"[^{re.escape(space)}]"
    return re.compile(f"(?<!{border}){re.escape(pair)}(?!{border})")


def merge_replace(word: str, pair: str, product: str) -> str:
    """Merge by plain string replacement, as some tutorials do: wrong across symbol borders.

    The pair `a b` is also found in `aa b`, where the left symbol only ends with `a`. This is kept
    so that its results can be compared.

    >>> merge_replace("aa b a b", "a b", "ab")
    'aab ab'
    """
    return word.replace(pair, product)


def unused_character(words: Iterable[Symbols]) -> str:
    """Return a character that no symbol holds: the space, or else the first from U+E000 on."""
    used = {char for symbols in words for symbol in symbols for char in symbol}
    return next(char for char in chain(" ", map(chr, PRIVATE_USE)) if char not in used)
