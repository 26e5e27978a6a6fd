"""The same cuts step by step, for people: merges, pieces that are tried, and a word's lattice."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from tokbench.api import Decision, Marks
from tokbench_bpe.matching import MarkedText, Trie, tokens_at
from tokbench_bpe.merging import Find, Pair

Explained = tuple[list[Decision], list[str]]
"""The decisions about a text, and the tokens that they end in."""


def explain_merges(
    symbols: Sequence[str],
    find: Find,
    count: Callable[[int], int | None] = lambda rank: None,
    join: Callable[[Pair], str] = Marks.join,
    in_order: bool = False,
) -> Explained:
    """Merge symbols step by step; the last step says why there is no other.

    `find(pair, rank)` gives the rank at which a pair is merged once `rank` is done, -1 at first;
    `count(rank)` how often its pair was counted in the training text, if that is known. Where each
    rank has one turn, `in_order`, pairs whose turn is over are shown as such.
    """
    decisions: list[Decision] = []
    state, done = list(symbols), -1
    while True:
        ranks = {pair: find(pair, done) for pair in pairwise(state)}
        lowest = min((rank for rank in ranks.values() if rank is not None), default=None)
        chosen = [i for i, rank in enumerate(ranks.values()) if rank == lowest]
        candidates = [
            _candidate(pair, rank, find(pair, -1) if in_order else rank, count, in_order)
            for pair, rank in ranks.items()
        ]
        title = f"merge {len(decisions) + 1}"
        if lowest is None:
            reason = "no pair of neighbours is a merge" if ranks else "one symbol is left"
            if any(candidate.get("turn") for candidate in candidates):
                reason = "the turn of each merge of neighbours is over"
            decisions.append(Decision(title, candidates, (), f"{reason}: it ends", tuple(state)))
            return decisions, state
        reason = "the lowest rank is merged"
        if in_order:
            reason = "of the merges whose turn is to come, the first learned is applied"
        decisions.append(Decision(title, candidates, chosen[:1], reason, tuple(state)))
        # Several pairs of one rank build the same token: then the first place alone is next.
        state = _merged(state, [*ranks][chosen[0]], join, once=len(chosen) > 1)
        done = lowest


def _candidate(
    pair: Pair,
    rank: int | None,
    passed: int | None,
    count: Callable[[int], int | None],
    in_order: bool,
) -> dict[str, object]:
    """Return the values of a pair: of its next rank, else of one that has `passed`."""
    shown = passed if rank is None else rank
    values: dict[str, object] = {
        "pair": pair,
        "rank": shown,
        "count": None if shown is None else count(shown),
    }
    if not in_order:
        return values
    return {**values, "turn": None if shown is None else "over" if rank is None else "to come"}


def _merged(
    symbols: Sequence[str], pair: Pair, join: Callable[[Pair], str], once: bool
) -> list[str]:
    """Merge the places of a pair from left to right, or the first one only."""
    merged: list[str] = []
    place = 0
    while place < len(symbols):
        if tuple(symbols[place : place + 2]) == pair:
            merged.append(join(pair))
            place += 2
            if once:
                break
        else:
            merged.append(symbols[place])
            place += 1
    return merged + list(symbols[place:])


def explain_matches(word: str, trie: Trie) -> Explained:
    """Take the longest token at each place; a step for each, with the pieces that were tried."""
    marks = trie.vocabulary.marks
    text = MarkedText.of(word, marks)
    size, tokens = len(text.text), frozenset(token for _, token in trie.tokens)
    longest = max(map(len, tokens), default=1)
    decisions: list[Decision] = []
    taken: list[str] = []
    start = 0
    while start < size:
        ends = [stop for stop, _ in tokens_at(text, start, trie)]
        stop = ends[-1] if ends else text.after(start)
        borders = [at for at in range(start + 1, size + 1) if at not in text.fused]
        # Nothing is tried that is longer than all tokens.
        tried = [at for at in borders[:longest] if at >= stop]
        pieces = [text.token(start, at, marks) for at in reversed(tried)]
        reason = "the longest token is taken"
        if not ends:
            reason = "no token begins here: one letter is unknown"
        decisions.append(
            Decision(
                f"token {len(taken) + 1}",
                [{"piece": (piece,), "known": piece in tokens} for piece in pieces],
                [len(pieces) - 1],
                reason,
                (*taken, text.token(start, size, marks)),
            )
        )
        taken.append(pieces[-1])
        start = stop
    return decisions, taken


class Edge(NamedTuple):
    """A token of a word's lattice: the places that it leads from and to, and what it costs."""

    start: int
    stop: int
    token: str
    cost: float


class Walk(NamedTuple):
    """Edges that lead from the beginning of a word to some place."""

    cost: float
    edges: tuple[Edge, ...]

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens of its edges."""
        return tuple(edge.token for edge in self.edges)


def explain_lattice(
    edges: Iterable[Edge],
    size: int,
    tokens: Sequence[str],
    name: str,
    sign: float = 1.0,
    tie: str = "the one whose last token is longest, and so on backwards",
) -> Explained:
    """Show the lattice of a word of so many places, and its cheapest walk beside the next one.

    `tokens` are those of the walk that the segmenter took. `name` is the name of what decides,
    which is `sign` times the cost; `tie` says which of equal walks is taken.
    """
    ordered = sorted(edges)
    best = _walk(ordered, tokens)
    others = [walk for walk in _two_cheapest(ordered, size) if walk.tokens != best.tokens][:1]
    lattice = [
        {"token": (edge.token,), "from": edge.start, "to": edge.stop, name: sign * edge.cost}
        for edge in ordered
    ]
    paths = [{"path": walk.tokens, f"sum of {name}s": sign * walk.cost} for walk in (best, *others)]
    reason = f"the {'lowest' if sign > 0 else 'highest'} sum of {name}s is taken"
    if others and others[0].cost == best.cost:
        reason += f"; of equals, {tie}"
    # A mark that is a symbol of its own takes a place, too.
    marked = size > sum(map(len, map(Marks.strip, tokens)))
    places = "a mark of the edge of the word counts as a place" if marked else ""
    steps = [
        Decision("lattice", lattice, [ordered.index(edge) for edge in best.edges], places),
        Decision("best and next best path", paths, [0], reason),
    ]
    return steps, [*best.tokens]


def _two_cheapest(edges: Sequence[Edge], size: int) -> list[Walk]:
    """Return the two cheapest walks to the end of a word, fewer where there are not so many."""
    reached: list[list[Walk]] = [[] for _ in range(size + 1)]
    reached[0] = [Walk(0.0, ())]
    for edge in edges:  # in order: all that lead to a place come before those that leave it
        there = reached[edge.stop]
        for walk in reached[edge.start]:
            there.append(Walk(walk.cost + edge.cost, (*walk.edges, edge)))
        there.sort(key=lambda walk: walk.cost)
        del there[2:]
    return reached[size]


def _walk(edges: Iterable[Edge], tokens: Iterable[str]) -> Walk:
    """Return the walk of these tokens."""
    by_token = {(edge.start, edge.token): edge for edge in edges}
    walked: list[Edge] = []
    for token in tokens:
        walked.append(by_token[walked[-1].stop if walked else 0, token])
    return Walk(sum(edge.cost for edge in walked), tuple(walked))
