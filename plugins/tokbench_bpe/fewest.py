"""The fewest tokens that cover a word, kept up to date while tokens are born.

A word is a row of positions, and each token that occurs in it is a step from the position where it
begins to the one where it ends. The cost of a position follows from the positions
before it. While a vocabulary grows, steps are only added: where one makes a position cheaper, the
steps that begin there are looked at again, and nothing else is.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from tokbench_bpe.explaining import Edge, Explained, explain_lattice
from tokbench_bpe.matching import MarkedText, Trie, alone, tokens_at
from tokbench_bpe.states import State, lay_out

if TYPE_CHECKING:
    from tokbench.api.arrays import Timeline

Ties = Literal["longest-last", "longest-first"]

PathStep = tuple[int, int, int, int, int]
"""(birth, start, stop, symbol, cost): a token that occurs in a word once so many items are
learned, and what it costs to take it."""


def steps(text: MarkedText, trie: Trie) -> Iterator[PathStep]:
    """Yield every token that occurs in a word, and each letter alone that may have none.

    A letter that no token covers costs more than all tokens of the word can.
    """
    births, never = trie.symbols.births, trie.never
    unknown, dear = trie.symbols.unknown, len(text.text) + 1
    for start in range(len(text.text)):
        if start in text.fused:
            continue
        covered = False
        for stop, symbol in tokens_at(text, start, trie):
            birth = births[symbol]
            covered |= not birth and stop == text.after(start)
            yield birth, start, stop, symbol, 1
        if not covered:
            # A byte token, which is not sought, may spell the letter all the same.
            lone, stop, _ = alone(text, start, trie, never)
            birth = 0 if lone == unknown else births[lone]
            if birth:
                yield 0, start, stop, unknown, dear
            yield birth, start, stop, lone, dear


class Path:
    """The cheapest steps to each position of a word.

    Of equals, those of which the last is the longest; `backwards`, those of which the first is:
    the word is then walked from its end.
    """

    def __init__(self, size: int, backwards: bool) -> None:
        self._size, self._backwards = size, backwards
        self._costs: list[float] = [0] + [float("inf")] * size
        self._last: list[PathStep] = [(0, 0, 0, 0, 0)] * (size + 1)
        self._onward: list[list[PathStep]] = [[] for _ in range(size + 1)]

    def add(self, steps: Iterable[PathStep]) -> bool:
        """Add steps; return whether this changed the best way to any position."""
        costs, last, onward = self._costs, self._last, self._onward
        waiting = bytearray(self._size + 1)
        changed = False
        for step in map(self._turned, steps) if self._backwards else steps:
            onward[step[1]].append(step)
            waiting[step[1]] = True
        # Steps lead onwards, so that a position is final once all before it are.
        start = waiting.find(True)
        while start >= 0:
            for step in onward[start]:
                stop = step[2]
                cost = costs[start] + step[4]
                if cost < costs[stop]:
                    costs[stop] = cost
                    waiting[stop] = True
                elif cost > costs[stop] or not _is_longer(step, last[stop]):
                    continue
                last[stop] = step
                changed = True
            start = waiting.find(True, start + 1)
        return changed

    def read(self) -> list[PathStep]:
        """Return the steps to the end of the word, in order."""
        taken = []
        position = self._size
        while position:
            step = self._last[position]
            taken.append(step)
            position = step[1]
        return list(map(self._turned, taken)) if self._backwards else taken[::-1]

    def _turned(self, step: PathStep) -> PathStep:
        """Return a step as it is when the word is walked from the other end."""
        birth, start, stop, symbol, cost = step
        return birth, self._size - stop, self._size - start, symbol, cost


def _is_longer(step: PathStep, last: PathStep) -> bool:
    """Return whether a step is preferred to one with the same end and cost.

    Of two for the same letter, one is its token, born later.
    """
    return step[1] < last[1] or (step[1] == last[1] and step[0] > last[0])


def fewest(word: str, trie: Trie, ties: Ties) -> list[str]:
    """Cut a word into the fewest tokens of a trie; a letter that none covers is one alone."""
    text = MarkedText.of(word, trie.vocabulary.marks)
    path = Path(len(text.text), ties == "longest-first")
    path.add(steps(text, trie))
    return [text.token(step[1], step[2], trie.vocabulary.marks) for step in path.read()]


def explain_fewest(word: str, trie: Trie, ties: Ties) -> Explained:
    """Show all tokens that occur in a word, and the fewest that cover it."""
    text = MarkedText.of(word, trie.vocabulary.marks)
    edges: dict[tuple[int, int], Edge] = {}
    for step in steps(text, trie):
        _, start, stop, _, cost = step
        edges[start, stop] = Edge(start, stop, text.token(start, stop, trie.vocabulary.marks), cost)
    tokens = fewest(word, trie, ties)
    if ties == "longest-last":
        return explain_lattice(edges.values(), len(text.text), tokens, "cost")
    tie = "the one whose first token is longest, and so on"
    return explain_lattice(edges.values(), len(text.text), tokens, "cost", tie=tie)


def fewest_all(words: Sequence[str], trie: Trie, since: int, ties: Ties) -> "Timeline":
    """Return the states of words that are cut into the fewest tokens of a trie."""
    since, births = max(since, 0), trie.symbols.births
    if since >= trie.never:
        words = ()
    states = (fewest_states(word, trie, ties, since) for word in words)
    return lay_out(states, since, len(births))


def fewest_states(word: str, trie: Trie, ties: Ties, since: int) -> Iterator[State]:
    """Yield the states of a word from `since` learned items on; there are at least so many."""
    text = MarkedText.of(word, trie.vocabulary.marks)
    bytes_before = text.measure()
    early: list[PathStep] = []
    late: list[PathStep] = []
    for step in steps(text, trie):
        (early if step[0] <= since else late).append(step)
    path = Path(len(text.text), ties == "longest-first")
    path.add(early)
    taken = path.read()

    def until(birth: int) -> State:
        return birth, [step[3] for step in taken], [bytes_before[step[2]] for step in taken]

    for birth, born in groupby(sorted(late), itemgetter(0)):
        if path.add(born) and (after := path.read()) != taken:
            yield until(birth)
            taken = after
    yield until(trie.never)
