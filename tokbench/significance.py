"""When a difference is called significant: Holm's correction, and the resamples that it takes."""

from collections.abc import Hashable, Sequence

ALPHA = 0.05


def resamples_needed(tests: int) -> int:
    """Return the fewest resamples with which one of so many tests can be significant.

    The smallest p-value of B resamples is 2 / (B + 1), which Holm multiplies by the number of
    tests: 2 * tests / (B + 1) must be below 5 %.
    """
    return 40 * tests


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust the p-values of one family after Holm (1979)."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = running
    return adjusted


def holm_by_family(
    p_values: Sequence[float | None], families: Sequence[Hashable]
) -> list[float | None]:
    """Adjust p-values after Holm within each family; undefined ones stay None and don't count."""
    members: dict[Hashable, list[int]] = {}
    for i, (p, family) in enumerate(zip(p_values, families, strict=True)):
        if p is not None:
            members.setdefault(family, []).append(i)
    adjusted: list[float | None] = [None] * len(p_values)
    for of_family in members.values():
        found = holm([p for i in of_family if (p := p_values[i]) is not None])
        for i, p in zip(of_family, found, strict=True):
            adjusted[i] = p
    return adjusted
