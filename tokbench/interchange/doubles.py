"""What stands twice."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)


def first_double(items: Iterable[Item]) -> Item | None:
    """Give the first item that stood before, or None."""
    seen: set[Item] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return None
