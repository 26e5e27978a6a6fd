"""Systems ranked by the first-place rule: the one that no other beats, and who ties with it."""

from collections.abc import Sequence
from itertools import combinations

from tokbench.recommend.eligible import KAPPA, Comparable, Eligible
from tokbench.recommend.values import Ranking
from tokbench.run_folder import size_number


def rankings(eligible: Eligible, systems: Sequence[str]) -> list[Ranking]:
    """Rank systems in each context, that of most of them first.

    A system does not count there that is worse than the leader of each of its contexts, or not
    compared with any, so that one more of them changes nothing. On a tie it is in context; but
    where one system is against one, it is that of the better one, since nothing else compares them.
    Of other contexts only the systems count that the first one lacks.
    """
    by_context: dict[str, list[str]] = {}
    for name in systems:
        for context in sorted(eligible.contexts.get(name, ())):
            if eligible.in_context(context).sizes(name):
                by_context.setdefault(context, []).append(name)
    ranking_in = {
        context: rank(eligible.in_context(context), names) for context, names in by_context.items()
    }
    rivals = {name for ranking in ranking_in.values() for name in ranking.rivals}

    def place(context: str) -> tuple[int, float, bool]:
        ranking, count = ranking_in[context], len(rivals.intersection(by_context[context]))
        value = -ranking.value if ranking.metric == KAPPA else ranking.value
        return -count, value if count == 1 < len(rivals) else 0.0, context != "in-context"

    ranked: list[Ranking] = []
    done: set[str] = set()
    for context in sorted(ranking_in, key=place):
        names = [name for name in by_context[context] if name not in done]
        if names:
            ranked.append(
                rank(eligible.in_context(context), names) if done else ranking_in[context]
            )
            done.update(names)
    return ranked


def rank(comparable: Comparable, names: Sequence[str], leader: str = "") -> Ranking:
    """Rank systems that have values, with the leader that is named where a tie was broken."""
    leader = leader or _leader(comparable, names)
    others = [
        comparable.beside(leader, sizes[-1], name)
        for name in names
        if name != leader and (sizes := comparable.sizes(leader, name))
    ]
    compared = {leader, *(other.system for other in others)}
    size = comparable.sizes(leader)[-1]
    return Ranking(
        context=comparable.context,
        metric=comparable.metric,
        leader=leader,
        size=size,
        value=comparable.value(leader, size),
        others=tuple(sorted(others, key=lambda other: other.excess)),
        apart=tuple(name for name in names if name not in compared),
    )


def _leader(comparable: Comparable, names: Sequence[str]) -> str:
    """Return the system that no other beats, of several the best one at its own largest size.

    In a circle it is the best one at the largest size that all of the circle have.
    """
    common = {
        (name, other): sizes[-1]
        for name, other in combinations(names, 2)
        if (sizes := comparable.sizes(name, other))
    }
    lead = {pair: comparable.lead(*pair, size) for pair, size in common.items()}
    # A value that is no number beats nothing, and nothing beats it.
    beats = {pair if by > 0 else pair[::-1] for pair, by in lead.items() if by > 0 or by < 0}
    unbeaten = [name for name in names if not any((other, name) in beats for other in names)]
    if unbeaten:
        best = max if comparable.metric == KAPPA else min
        return best(unbeaten, key=lambda name: comparable.value(name, comparable.sizes(name)[-1]))
    circle = [*names]
    while losers := [n for n in circle if not any((n, other) in beats for other in circle)]:
        circle = [name for name in circle if name not in losers]
    compared_sizes = {size for pair, size in common.items() if {*pair} <= {*circle}}
    shared = {*comparable.sizes(*circle)} & compared_sizes
    size = max(shared or compared_sizes, key=size_number)
    having = [name for name in circle if size in comparable.sizes(name)]
    return next(
        name
        for name in having
        if all(other.excess >= 0 for other in comparable.all_beside(name, size, having))
    )
