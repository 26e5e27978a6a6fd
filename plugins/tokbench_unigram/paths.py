"""The best way to cut words into tokens that have scores (Viterbi), for many words at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import inf
from operator import eq
from struct import Struct

from tokbench_bpe.matching import TOKEN, Node, Trie

from tokbench.api import Marks
from tokbench.api.text import CONTINUATION

NOWHERE: Node = {}
"""Where no token goes on."""

SINGLE = Struct("f")
"""Single precision, 32 bits."""

Way = tuple[float, int, Sequence[tuple[int, Node]]]
"""The best sum of scores up to a place, where its last token begins, and the tokens that may go on
from there, each with its start."""


@dataclass(frozen=True)
class BestPaths:
    """Cuts words where the sum of their tokens' scores is highest.

    `scores` are by id; a symbol that is no token has `unknown`. Of equal sums, the one whose last
    token is longest is taken, and so on backwards. `single` rounds each sum to single precision.
    """

    trie: Trie
    scores: Mapping[int, float]
    unknown: float
    single: bool = False

    def cut(self, words: Sequence[str]) -> list[list[str]]:
        """Cut words; what words have in common at their beginning is looked at once."""
        marks = self.trie.vocabulary.marks
        cuts: list[list[str]] = [[]] * len(words)
        before: list[str] = []
        ways: list[Way] = [(0.0, 0, ())]
        for number in sorted(range(len(words)), key=words.__getitem__):
            symbols = marks.spell(words[number])
            shared = sum(takewhile(bool, map(eq, before, symbols)))
            del ways[shared + 1 :]
            for place in range(shared, len(symbols)):
                ways.append(self._onward(ways, symbols[place]))
            tokens, end = list[str](), len(symbols)
            while end:
                start = ways[end][1]
                tokens.append(Marks.join(symbols[start:end]))
                end = start
            cuts[number] = tokens[::-1]
            before = symbols
        return cuts

    def _onward(self, ways: Sequence[Way], symbol: str) -> Way:
        """Return the best way to the place behind a symbol, from those to all places before it."""
        place, inside = len(ways) - 1, symbol.removeprefix(CONTINUATION)
        going_on = list[tuple[int, Node]]()
        best, last = -inf, place
        for start, node in (*ways[place][2], (place, self.trie.root)):
            for char in symbol if start == place else inside:
                node = node.get(char, NOWHERE)
            if node:
                going_on.append((start, node))
            if TOKEN in node:
                score = self.scores[node[TOKEN]]
            elif start == place:
                score = self.unknown
            else:
                continue
            total = ways[start][0] + score
            if self.single:
                (total,) = SINGLE.unpack(SINGLE.pack(total))
            if total > best:
                best, last = total, start
        return best, last, going_on
