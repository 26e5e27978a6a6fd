"""Merging symbols by rank, for tables that rank what is joined instead of pairs."""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush

from tokbench.api import Learned, Marks, Vocabulary

Rank = Callable[[str, str], int | None]


def merged(symbols: Sequence[str], rank: Rank, below: int | None = None) -> list[str]:
    """Join the two neighbours of the lowest rank, the leftmost of several, until none has any.

    Ranks from `below` on do not count.
    """
    row = _Row(symbols, rank, below)
    while row.queue:
        found, at = heappop(row.queue)
        # Since it was queued, the pair may have lost a part to another merge.
        if row.ranks[at] == found:
            row.join(at)
    return [part for part in row.parts if part]


class _Row:
    """Symbols in a doubly linked row, and a queue of their pairs: the lowest rank, the leftmost.

    A pair's rank stands at its left part. A part that was joined to the one before it is empty.
    """

    def __init__(self, symbols: Sequence[str], rank: Rank, below: int | None) -> None:
        self.parts = list(symbols)
        self.after = list(range(1, len(symbols) + 1))
        self.before = list(range(-1, len(symbols) - 1))
        self._rank, self._below = rank, below
        self.ranks: list[int | None] = [None] * len(symbols)
        ranked = ((self._ranked(i), i) for i in range(len(symbols)))
        self.queue = [(found, i) for found, i in ranked if found is not None]
        heapify(self.queue)

    def join(self, at: int) -> None:
        """Join a part and the one after it, and rank the pairs that they make."""
        right = self.after[at]
        self.parts[at] += self.parts[right]
        self.parts[right], self.ranks[right] = "", None
        self.after[at] = after = self.after[right]
        if after < len(self.parts):
            self.before[after] = at
        for i in (self.before[at], at):
            if i >= 0 and (found := self._ranked(i)) is not None:
                heappush(self.queue, (found, i))

    def _ranked(self, i: int) -> int | None:
        """Rank the pair of a part and the one after it, if there is one and its rank counts."""
        after = self.after[i]
        found = self._rank(self.parts[i], self.parts[after]) if after < len(self.parts) else None
        if found is not None and self._below is not None and found >= self._below:
            found = None
        self.ranks[i] = found
        return found


def recovered(ranks: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Find the parts of each token of two characters or more, by rising rank.

    A token's parts are what its characters become by tokens of lower rank. They are two wherever
    a program that ranks what is joined can build the token by such tokens alone.
    """

    def rank(left: str, right: str) -> int | None:
        return ranks.get(left + right)

    ordered = sorted((rank, token) for token, rank in ranks.items() if len(token) > 1)
    return {token: tuple(merged(token, rank, number)) for number, token in ordered}


def pairs_of(parts: Mapping[str, tuple[str, ...]]) -> tuple[Learned, ...]:
    """Select the merges among recovered parts; a token that isn't built of two parts has none."""
    return tuple(Learned(pair) for pair in parts.values() if len(pair) == 2)


def pair_ranks(vocabulary: Vocabulary) -> dict[tuple[str, ...], int]:
    """Find the lowest rank of each merge."""
    numbered = reversed([*enumerate(vocabulary.learned)])
    return {item.parts: rank for rank, item in numbered}


def too_early(vocabulary: Vocabulary) -> int:
    """Count the merges that stand before one that builds a part of theirs.

    Programs that merge place by place, instead of rank by rank, may cut otherwise with them.
    """
    last = {product: rank for rank, product in enumerate(vocabulary.products)}
    return sum(
        any(last.get(part, -1) > rank for part in item.parts)
        for rank, item in enumerate(vocabulary.learned)
        if Marks.join(item.parts) not in item.parts
    )
