"""Merging symbols by rank, for tables that rank what is joined instead of pairs."""

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush

from tokbench.api import Learned

Rank = Callable[[str, str], int | None]


def merged(symbols: Sequence[str], rank: Rank, below: int | None = None) -> list[str]:
    """Join the two neighbours of the lowest rank, the leftmost of several, until none has any.

    Ranks from `below` on do not count.
    """
    # A part that was joined to the one before it is empty.
    parts = [*symbols]
    before, after = list(range(-1, len(parts) - 1)), list(range(1, len(parts) + 1))
    waiting: list[tuple[int, int, str, str]] = []

    def wait(left: int) -> None:
        if left < 0 or after[left] == len(parts):
            return
        pair = parts[left], parts[after[left]]
        rank_of_pair = rank(*pair)
        if rank_of_pair is not None and (below is None or rank_of_pair < below):
            heappush(waiting, (rank_of_pair, left, *pair))

    for left in range(len(parts)):
        wait(left)
    while waiting:
        _, left, *pair = heappop(waiting)
        right = after[left]
        # Since it was queued, the pair may have lost a part to another merge.
        if right == len(parts) or pair != [parts[left], parts[right]]:
            continue
        parts[left], parts[right] = parts[left] + parts[right], ""
        after[left] = after[right]
        if after[left] < len(parts):
            before[after[left]] = left
        wait(before[left])
        wait(left)
    return [part for part in parts if part]


def recovered(ranks: Mapping[str, int]) -> list[Learned]:
    """Find the parts that each token of two characters or more was merged from, by rising rank.

    A token's parts are what its characters become by tokens of lower rank, since that was the state
    when it was learned. They are more than two where no sequence of merges builds the token.

    >>> [item.parts for item in recovered({"lo": 1, "ow": 2, "low": 3})]
    [('l', 'o'), ('o', 'w'), ('lo', 'w')]
    """

    def rank(left: str, right: str) -> int | None:
        return ranks.get(left + right)

    ordered = sorted((rank, token) for token, rank in ranks.items() if len(token) > 1)
    return [Learned(tuple(merged(token, rank, number))) for number, token in ordered]
