"""Longest match of words, and every state that each passes through.

Each token has a birth: the number of learned items at which it is in the vocabulary. Beside the
longest token born so far, a walk in the trie meets longer ones that are born later; the earliest
of these births is where the word's next state begins. A token found at a position stays right
until the birth of a longer token there, so each state walks only where one is born.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tokbench.api import Marks, Vocabulary
from tokbench.api.text import BOW, CONTINUATION, EOW, byte_length
from tokbench_bpe.alphabet import FIRST_LAST
from tokbench_bpe.states import UTF_32, State, cut_in_threads, lay_out
from tokbench_bpe.symbols import SymbolTable

if TYPE_CHECKING:
    from tokbench.api.arrays import Timeline

TOKEN = ""
"""The key under which a node holds the id of the token that ends there; no character equals it."""

Node = dict[str, Any]

MARK_KINDS = {"absent": 0, "fused": 1, "separate": 2, "fenced": 2}

Match = tuple[int, int, int]
"""(symbol, position after it, birth of the first longer token)"""


@dataclass(frozen=True)
class Trie:
    """The tokens of a vocabulary, character by character, and the marks that words get."""

    vocabulary: Vocabulary

    @cached_property
    def tokens(self) -> Sequence[tuple[int, str]]:
        """Every token that a segmenter may produce from text, with its id."""
        left_out = self.vocabulary.unproduced.union(self.vocabulary.bytes)
        tokens = enumerate(self.vocabulary.tokens)
        return [(number, token) for number, token in tokens if number not in left_out]

    @cached_property
    def root(self) -> Node:
        """The node from which every token begins."""
        root: Node = {}
        for number, token in self.tokens:
            node = root
            for char in token:
                node = node.setdefault(char, {})
            node[TOKEN] = number
        return root

    @cached_property
    def inner_root(self) -> Node:
        """The node from which a token begins inside a word."""
        fused = self.vocabulary.marks.continuation.kind == "fused"
        return self.root.get(CONTINUATION, {}) if fused else self.root

    @cached_property
    def never(self) -> int:
        """A number of learned items that no vocabulary reaches."""
        return len(self.vocabulary.learned) + 1

    @cached_property
    def symbols(self) -> SymbolTable:
        """The numbers of tokens and letters, for many words."""
        return SymbolTable(self.vocabulary)

    @cached_property
    def columns(self) -> "tuple[bytes, array[int], array[int], array[int], int, int, bool]":
        """The tokens as flat arrays, their births and the marks, as the kernel takes them."""
        texts, marks = [token for _, token in self.tokens], self.vocabulary.marks
        return (
            "".join(texts).encode(UTF_32, "surrogatepass"),
            array("q", accumulate(map(len, texts))),
            array("q", [number for number, _ in self.tokens]),
            self.symbols.births,
            MARK_KINDS[marks.bow.kind],
            MARK_KINDS[marks.eow.kind],
            marks.continuation.kind == "fused",
        )


@dataclass(frozen=True)
class MarkedText:
    """A word between the marks of its edges; `fused` are the positions between mark and letter.

    Its letters begin at `begin`; `end` is the position after them.
    """

    text: str
    begin: int
    end: int
    fused: frozenset[int]

    @classmethod
    def of(cls, word: str, marks: Marks) -> "MarkedText":
        """Put the marks of the edges around a word."""
        before, after = edges(marks)
        begin, end = len(before), len(before) + len(word)
        fused = {begin} if marks.bow.kind == "fused" else set()
        if marks.eow.kind == "fused":
            fused.add(end)
        return cls(before + word + after, begin, end, frozenset(fused))

    def after(self, start: int) -> int:
        """Return the position after one letter with its marks, or after one mark."""
        stop = start + 1
        while stop in self.fused:
            stop += 1
        return stop

    def measure(self) -> list[int]:
        """Return the UTF-8 bytes of the word before each position."""
        widths = map(byte_length, self.text[self.begin : self.end])
        before = [0] * self.begin + list(accumulate(widths, initial=0))
        return [*before, before[-1]]

    def token(self, start: int, stop: int, marks: Marks) -> str:
        """Return the text of a token from one position to another."""
        inside = marks.continuation.kind == "fused" and self.begin < start < self.end
        return (CONTINUATION if inside else "") + self.text[start:stop]


def edges(marks: Marks) -> tuple[str, str]:
    """Return the marks before and after each word."""
    return "" if marks.bow.kind == "absent" else BOW, "" if marks.eow.kind == "absent" else EOW


def longest_matches(word: str, trie: Trie) -> list[str]:
    """Cut a word into the longest tokens from left to right; a letter that none begins is alone."""
    marks = trie.vocabulary.marks
    text = MarkedText.of(word, marks)
    tokens, start = [], 0
    while start < len(text.text):
        stop = max([stop for stop, _ in tokens_at(text, start, trie)], default=text.after(start))
        tokens.append(text.token(start, stop, marks))
        start = stop
    return tokens


def matches(word: str, trie: Trie, since: int) -> Iterator[State]:
    """Yield the states of a word from `since` learned items on."""
    text = MarkedText.of(word, trie.vocabulary.marks)
    bytes_before = text.measure()
    matched: dict[int, Match] = {}
    while since < trie.never:
        symbols, ends, stop, until = [], [], 0, trie.never
        while stop < len(text.text):
            match = matched.get(stop)
            if match is None or match[2] <= since:
                match = matched[stop] = _longest(text, stop, trie, since)
            symbol, stop, longer = match
            symbols.append(symbol)
            ends.append(bytes_before[stop])
            until = min(until, longer)
        yield until, symbols, ends
        since = until


def _longest(text: MarkedText, start: int, trie: Trie, learned: int) -> Match:
    """Find the longest token at a position among those of so many learned items."""
    births, never = trie.symbols.births, trie.never
    symbol, stop, longer = None, start, never
    for position, token in tokens_at(text, start, trie):
        if births[token] > learned:
            longer = min(longer, births[token])
        else:
            symbol, stop, longer = token, position, never
    if symbol is None:
        symbol, stop, birth = alone(text, start, trie, learned)
        longer = min(longer, birth)
    return symbol, stop, longer


def tokens_at(text: MarkedText, start: int, trie: Trie) -> Iterator[tuple[int, int]]:
    """Yield (position after it, id) of each token that begins at a position, the shortest first."""
    fused = text.fused
    node = trie.inner_root if text.begin < start < text.end else trie.root
    for position in range(start, len(text.text)):
        char = text.text[position]
        if char not in node:
            return
        node = node[char]
        if TOKEN in node and position + 1 not in fused:
            yield position + 1, node[TOKEN]


def alone(text: MarkedText, start: int, trie: Trie, learned: int) -> Match:
    """Take one letter with its marks, or one mark: a token that may be unknown.

    Its birth is that of its token where that comes later than `learned` items.
    """
    births, unknown = trie.symbols.births, trie.symbols.unknown
    stop = text.after(start)
    if stop <= text.begin:
        symbol, _ = trie.symbols.edges
    elif start >= text.end:
        _, symbol = trie.symbols.edges
    else:
        place = max(start, text.begin)
        numbers = trie.symbols.letters.get(text.text[place])
        at_edges = FIRST_LAST.index((place == text.begin, place + 1 == text.end))
        symbol = unknown if numbers is None else numbers[at_edges]
    if symbol < len(births) and births[symbol] > learned:
        return unknown, stop, births[symbol]
    return symbol, stop, trie.never


TokenScores = tuple["array[float]", float, bool]
"""The score of each id, that of an unknown letter, and whether sums have single precision."""


def match_all(
    words: Sequence[str],
    trie: Trie,
    since: int,
    kernel: ModuleType | None,
    scores: TokenScores | None = None,
) -> "Timeline":
    """Return the states of words that are cut into the longest tokens of a trie.

    With `scores`, which only a kernel reads, the tokens are those whose scores add up to most, from
    all learned items on.
    """
    symbols, marks = trie.symbols, trie.vocabulary.marks
    if kernel is None:
        since = max(since, 0)
        return lay_out((matches(word, trie, since) for word in words), since, len(symbols.births))
    how = since, len(trie.vocabulary.learned), symbols.columns, trie.columns, scores
    tokens = len(trie.tokens)
    return cut_in_threads(lambda text: kernel.match(text, *how), words, tokens, *edges(marks))
