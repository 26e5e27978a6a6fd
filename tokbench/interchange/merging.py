"""Merging symbols by rank, for tables that rank what is joined instead of pairs."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from tokbench.api import Learned, Marks, Vocabulary

Rank = Callable[[str, str], int | None]


def merged(symbols: Sequence[str], rank: Rank, below: int | None = None) -> list[str]:
    """Join the two neighbours of the lowest rank, the leftmost of several, until none has any.

    Ranks from `below` on do not count.
    """
    parts = list(symbols)
    while len(parts) > 1:
        ranks = ((rank(*pair), i) for i, pair in enumerate(pairwise(parts)))
        found = min(((r, i) for r, i in ranks if r is not None), default=None)
        if found is None or (below is not None and found[0] >= below):
            break
        at = found[1]
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def recovered(ranks: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Give the parts of each token of two characters or more, by rising rank.

    A token's parts are what its characters become by tokens of lower rank. They are two wherever
    a program that ranks what is joined can build the token by such tokens alone.
    """

    def rank(left: str, right: str) -> int | None:
        return ranks.get(left + right)

    ordered = sorted((rank, token) for token, rank in ranks.items() if len(token) > 1)
    return {token: tuple(merged(token, rank, number)) for number, token in ordered}


def pairs_of(parts: Mapping[str, tuple[str, ...]]) -> tuple[Learned, ...]:
    """Give the merges among recovered parts; what is not built of two parts has none."""
    return tuple(Learned(pair) for pair in parts.values() if len(pair) == 2)


def pair_ranks(vocabulary: Vocabulary) -> dict[tuple[str, ...], int]:
    """Give the lowest rank of each merge."""
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
