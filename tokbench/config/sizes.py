"""The vocabulary sizes of a config or of one system: a list, or a range that may hold a list."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from tokbench.api import Size
from tokbench.config import models
from tokbench.config.experiment import Span
from tokbench.config.messages import found
from tokbench.config.parts import Parts
from tokbench.config.problems import Where

LISTS: dict[str, Any] = {"sizes": models.Totals, "merges": models.MergeCounts}
RANGES: dict[str, type[BaseModel]] = {"sizes": models.SizeRange, "merges": models.MergeRange}


@dataclass(frozen=True)
class SizeList:
    """The listed sizes, the range around them where one is written, and the JSON form of both."""

    listed: tuple[Size, ...] = ()
    span: Span | None = None
    plain: dict[str, Any] = field(default_factory=dict)


def read_sizes(parts: Parts, where: Where) -> SizeList | None:
    """Read the `sizes` or `merges` of a mapping: empty if neither is written, None if wrong."""
    written = [key for key in LISTS if (*where, key) in parts.document.values]
    read = [_read(parts, (*where, key), key) for key in written]
    if len(written) == 2:
        what = "`sizes` and `merges` exclude each other: keep one of them"
        parts.problem((*where, "merges"), what, at_key=True)
        return None
    return read[0] if read else SizeList()


def _read(parts: Parts, where: Where, key: str) -> SizeList | None:
    value = parts.get(where)
    if value is None:
        return SizeList()
    if isinstance(value, dict):
        return _range(parts, where, key)
    if isinstance(value, list):
        numbers = parts.checked(LISTS[key], where)
        if numbers is None:
            return None
        return SizeList(_as_sizes(key, numbers), plain={key: [*numbers]})
    expected = "a list such as [first, second], or a mapping with `list`, or with `from` and `to`"
    parts.problem(where, f"found {found(value)}, expected {expected}")
    return None


def _range(parts: Parts, where: Where, key: str) -> SizeList | None:
    """Read a mapping; its list must lie between its ends, which are the list's by default."""
    before = len(parts.problems)
    given = parts.keys(where, RANGES[key])
    first, last, listed, curve = (
        parts.field(RANGES[key], (*where, name)) for name in ("from", "to", "list", "curve")
    )
    unlisted = given.get("list") is None and None in (given.get("from"), given.get("to"))
    if unlisted and len(parts.problems) == before:
        parts.problem(where, "names no sizes: write `list`, or `from` and `to`")
    if len(parts.problems) > before:
        return None
    first = min(listed) if first is None else first
    last = max(listed) if last is None else last
    if first > last:
        written = "to" if given.get("to") is not None else "from"
        parts.problem((*where, written), f"`from` is {first}, above `to`, which is {last}")
        return None
    listed = listed or doubled(first, last)
    for i, number in enumerate(listed):
        if not first <= number <= last:
            what = f"found {number}, expected a number between `from` and `to`: {first} to {last}"
            parts.problem((*where, "list", i), what)
    if len(parts.problems) > before:
        return None
    plain = {"from": first, "to": last, "list": [*listed], "curve": curve}
    ends = _as_sizes(key, (first, last))
    return SizeList(_as_sizes(key, listed), Span(ends[0], ends[1], curve), {key: plain})


def doubled(first: int, last: int) -> tuple[int, ...]:
    """List `first`, doubled until `last`, and `last`; 1 comes after 0."""
    numbers = []
    while first < last:
        numbers.append(first)
        first = max(1, 2 * first)
    return (*numbers, last)


def _as_sizes(key: str, numbers: Sequence[int]) -> tuple[Size, ...]:
    return tuple(Size(total=n) if key == "sizes" else Size(learned=n) for n in numbers)
