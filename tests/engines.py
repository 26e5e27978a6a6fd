"""Run code with the compiled kernels or without them."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from tokbench.api.component import VARIABLE


@contextmanager
def using(engine: str) -> Iterator[None]:
    """Let plain Python or else the compiled kernels do the work inside."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = engine
    try:
        yield
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
