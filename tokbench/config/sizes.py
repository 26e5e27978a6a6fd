"""The vocabulary sizes of a config or of one system."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from tokbench.api import Size
from tokbench.config.parts import Parts
from tokbench.config.problems import Where

Sizes = tuple[Size, ...]


def read_sizes(parts: Parts, where: Where, model: type[BaseModel]) -> Sizes | None:
    """Give the `sizes` or `merges` in a mapping: none if neither is written, None if wrong."""
    written = [key for key in ("sizes", "merges") if (*where, key) in parts.document.values]
    values = {key: parts.field(model, (*where, key)) for key in written}
    if len(written) == 2:
        what = "`sizes` and `merges` exclude each other: keep one of them"
        parts.problem((*where, "merges"), what, at_key=True)
        return None
    if not written:
        return ()
    key = written[0]
    numbers = values[key]
    if numbers is None:
        return () if parts.get((*where, key)) is None else None
    return tuple(Size(total=n) if key == "sizes" else Size(learned=n) for n in numbers)


def plain_sizes(sizes: Sequence[Size]) -> dict[str, Any]:
    """Write sizes as a config does; a system without sizes has neither key."""
    if not sizes:
        return {}
    if sizes[0].total is not None:
        return {"sizes": [size.total for size in sizes]}
    return {"merges": [size.learned for size in sizes]}
