"""Failures and notes of a run: values that each step returns beside its result."""

import re
from collections.abc import Iterable

from tokbench.api import Size
from tokbench.config import System
from tokbench.failures import LEFT_OUT, Issue

_AT_SIZE = re.compile(r"(.*) at size ((?:merges:)?\d+)(|, .*)")


def where(system: System, size: Size | None = None) -> str:
    """Name a system, and its size if it has one, in messages."""
    return f"system {system.name}" + ("" if size is None else f" at size {size}")


def notes_of(issues: Iterable[Issue]) -> list[str]:
    """Return each note once: one for all sizes of a system that have the same reason."""
    notes = [one for one in issues if not one.failed]
    whole = tuple(f"{one.where} at size " for one in notes if LEFT_OUT in one.what)
    told: dict[tuple[str, str], dict[str, str]] = {}
    for one in notes:
        if not (one.what.startswith(LEFT_OUT) and one.where.startswith(whole)) or "," in one.where:
            found = _AT_SIZE.fullmatch(one.where)
            place, size = (f"{found[1]}{found[3]}", found[2]) if found else (one.text, "")
            told.setdefault((place, one.what), {})[size] = one.text
    return [
        f"{place}: sizes {', '.join(sizes)}: {what}" if len(sizes) > 1 else "".join(sizes.values())
        for (place, what), sizes in told.items()
    ]


def failures_of(issues: Iterable[Issue]) -> list[str]:
    """Return each failure with its first place, and how many more there were.

    The failure of a metric comes up again with every system.
    """
    places: dict[str, list[str]] = {}
    for issue in issues:
        if issue.failed:
            places.setdefault(issue.text, []).append(issue.place)
    found = []
    for failure, (first, *more) in places.items():
        again = f", and {len(more)} more times" if more else ""
        found.append(f"{failure} ({first}{again})" if first else failure)
    return found


def reasons_of(issues: Iterable[Issue]) -> dict[str, str]:
    """Return why results are missing, by where: the first failure, else the first size left out."""
    explaining = (issue for issue in issues if issue.failed or issue.what.startswith(LEFT_OUT))
    reasons: dict[str, str] = {}
    for issue in sorted(explaining, key=lambda issue: not issue.failed):
        reasons.setdefault(issue.where, issue.what)
    return reasons
