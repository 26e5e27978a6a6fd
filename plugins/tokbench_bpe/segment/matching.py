"""Longest match of words, and every state that each passes through.

Each token has a birth: the number of learned items at which it is in the vocabulary. Beside the
longest token born so far, a walk in the trie meets longer ones that are born later; the earliest
of these births is where the word's next state begins. A token found at a position stays right
until the birth of a longer token there, so each state walks only where one is born.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from tokbench.api import BOW, EOW, Marks
from tokbench_bpe.learn.spelling import FIRST_LAST
from tokbench_bpe.segment.states import State, lay_out
from tokbench_bpe.segment.symbols import byte_ends
from tokbench_bpe.segment.threads import share_out
from tokbench_bpe.segment.trie import TOKEN, Trie

if TYPE_CHECKING:
    from tokbench.api import Timeline

MARK_KINDS = {"absent": 0, "fused": 1, "separate": 2, "fenced": 2}

Match = tuple[int, int, int]
"""(symbol, position after it, birth of the first longer token)"""


def longest_matches(word: str, trie: Trie) -> list[str]:
    """Cut a word into the longest tokens from left to right; a symbol that none begins is alone."""
    symbols = trie.vocabulary.marks.spell(word)
    tokens = []
    start = 0
    while start < len(symbols):
        end = max(trie.longest(symbols, start), start + 1)
        tokens.append(Marks.join(symbols[start:end]))
        start = end
    return tokens


def match_all(
    words: Sequence[str], trie: Trie, since: int, kernel: ModuleType | None
) -> "Timeline":
    """Return the states of words that are cut into the longest tokens of a trie."""
    tokens, symbols, marks = trie.tokens, trie.symbols, trie.vocabulary.marks
    if kernel is None:
        since = max(since, 0)
        return lay_out((matches(word, trie, since) for word in words), since, len(symbols.births))
    sought = (
        tuple(token for _, token in tokens),
        array("q", [number for number, _ in tokens]),
        symbols.births,
        MARK_KINDS[marks.bow.kind],
        MARK_KINDS[marks.eow.kind],
        marks.continuation.kind == "fused",
    )
    given = since, len(trie.vocabulary.learned), symbols.letters.columns, sought
    return share_out(lambda texts: kernel.match(texts, *given), words, len(tokens))


@dataclass(frozen=True)
class MarkedText:
    """A word between the marks of its edges; `fused` are the positions between mark and letter.

    Its letters begin at `first`; `last` is the position after them.
    """

    text: str
    first: int
    last: int
    fused: frozenset[int]

    @classmethod
    def of(cls, word: str, marks: Marks) -> "MarkedText":
        """Put the marks of the edges around a word."""
        begin = "" if marks.bow.kind == "absent" else BOW
        end = "" if marks.eow.kind == "absent" else EOW
        first, last = len(begin), len(begin) + len(word)
        fused = {first} if marks.bow.kind == "fused" else set()
        if marks.eow.kind == "fused":
            fused.add(last)
        return cls(begin + word + end, first, last, frozenset(fused))

    def after(self, start: int) -> int:
        """Return the position after one letter with its marks, or after one mark."""
        stop = start + 1
        while stop in self.fused:
            stop += 1
        return stop

    def measure(self) -> list[int]:
        """Return the UTF-8 bytes of the word before each position."""
        letters = self.text[self.first : self.last]
        ends = [0] * (self.first + 1)
        ends += byte_ends(letters)
        return [*ends, ends[-1]]


def matches(word: str, trie: Trie, since: int) -> Iterator[State]:
    """Yield the states of a word from `since` learned items on."""
    text = MarkedText.of(word, trie.vocabulary.marks)
    bytes_before = text.measure()
    found: dict[int, Match] = {}
    while since < trie.never:
        symbols, ends, stop, until = [], [], 0, trie.never
        while stop < len(text.text):
            match = found.get(stop)
            if match is None or match[2] <= since:
                match = found[stop] = _longest(text, stop, trie, since)
            symbol, stop, longer = match
            symbols.append(symbol)
            ends.append(bytes_before[stop])
            until = min(until, longer)
        yield until, symbols, ends
        since = until


def _longest(text: MarkedText, start: int, trie: Trie, learned: int) -> Match:
    """Find the longest token at a position that is there after so many learned items."""
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
    node = trie.inner_root if text.first < start < text.last else trie.root
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
    letters, births = trie.symbols.letters, trie.symbols.births
    stop = text.after(start)
    if stop <= text.first:
        symbol = letters.begin
    elif start >= text.last:
        symbol = letters.end
    else:
        place = max(start, text.first)
        edges = place == text.first, place + 1 == text.last
        numbers = letters.by_place[FIRST_LAST.index(edges)]
        symbol = numbers.get(text.text[place], letters.unknown)
    if symbol < len(births) and births[symbol] > learned:
        return letters.unknown, stop, births[symbol]
    return symbol, stop, trie.never
