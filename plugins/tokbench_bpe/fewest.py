"""The fewest tokens that cover a word, and every state that it passes through.

A word is a row of positions, and each token that occurs in it is a step from the position where it
begins to the one where it ends. The cost of a position follows from the positions before it. A
growing vocabulary only adds steps, so a word is cut again only when it gets a new step.
"""

from collections.abc import Iterator, Sequence
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


def in_order(text: MarkedText, trie: Trie, ties: Ties) -> list[PathStep]:
    """Return the steps of a word in the order in which they are walked.

    That is from the end of the word where the first token shall be longest. Of two steps for the
    same letter, one is its token, born later; it comes first.
    """
    if ties == "longest-first":
        return sorted(steps(text, trie), key=lambda step: (-step[2], -step[0]))
    return sorted(steps(text, trie), key=lambda step: (step[1], -step[0]))


def cheapest(ordered: Sequence[PathStep], size: int, ties: Ties, learned: int) -> list[PathStep]:
    """Return the steps through a word that cost least together, of those of `learned` items.

    Of equals, the first that reaches a position is taken, which is the longest.
    """
    begin, end, source, target = (0, size, 1, 2) if ties == "longest-last" else (size, 0, 2, 1)
    costs = [float("inf")] * (size + 1)
    costs[begin] = 0
    last: list[PathStep] = [(0, 0, 0, 0, 0)] * (size + 1)
    for step in ordered:
        if step[0] <= learned and (cost := costs[step[source]] + step[4]) < costs[step[target]]:
            costs[step[target]] = cost
            last[step[target]] = step
    taken = []
    position = end
    while position != begin:
        step = last[position]
        taken.append(step)
        position = step[source]
    return sorted(taken, key=itemgetter(1))


def fewest(word: str, trie: Trie, ties: Ties) -> list[str]:
    """Cut a word into the fewest tokens of a trie; a letter that none covers is one alone."""
    text = MarkedText.of(word, trie.vocabulary.marks)
    taken = cheapest(in_order(text, trie, ties), len(text.text), ties, trie.never)
    return [text.token(step[1], step[2], trie.vocabulary.marks) for step in taken]


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
    ordered = in_order(text, trie, ties)

    def cut(learned: int) -> tuple[list[int], list[int]]:
        taken = cheapest(ordered, len(text.text), ties, learned)
        return [step[3] for step in taken], [bytes_before[step[2]] for step in taken]

    tokens = cut(since)
    for birth in sorted({step[0] for step in ordered if step[0] > since}):
        if (after := cut(birth)) != tokens:
            yield birth, *tokens
            tokens = after
    yield trie.never, *tokens
