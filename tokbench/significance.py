"""When a number says enough: few events, Holm's correction, and the resamples that it takes."""

from collections.abc import Hashable, Sequence
from itertools import accumulate

ALPHA = 0.05
MINIMUM_UNITS = 20
"""Lines, words or other units of which a text must have so many to be resampled."""
# With events in fewer units, too many resamples hold none of them.
MINIMUM_EVENT_UNITS = 10


def resamples_needed(tests: int) -> int:
    """Return the fewest resamples with which one of so many tests can be significant.

    The smallest p-value of B resamples is 2 / (B + 1), which Holm multiplies by the number of
    tests: 2 * tests / (B + 1) must be below 5 %.
    """
    return 40 * tests


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of one family after Holm (1979)."""
    tests = len(p_values)
    order = sorted(range(tests), key=lambda i: p_values[i])
    scaled = (min(1.0, (tests - rank) * p_values[i]) for rank, i in enumerate(order))
    adjusted = dict(zip(order, accumulate(scaled, max), strict=True))
    return [adjusted[i] for i in range(tests)]


def holm_by_family(
    p_values: Sequence[float | None], families: Sequence[Hashable]
) -> list[float | None]:
    """Adjust p-values after Holm within each family; undefined ones stay None and don't count."""
    members: dict[Hashable, dict[int, float]] = {}
    for i, (p, family) in enumerate(zip(p_values, families, strict=True)):
        if p is not None:
            members.setdefault(family, {})[i] = p
    adjusted: dict[int, float] = {}
    for family_members in members.values():
        adjusted |= zip(family_members, holm([*family_members.values()]), strict=True)
    return [adjusted.get(i) for i in range(len(p_values))]
