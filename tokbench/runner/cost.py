"""Measured cost: seconds, and the peak memory of the process when each step ended."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tokbench.run_folder.record import Cost


@dataclass(eq=False)
class CostBook:
    """All measured steps, in order."""

    costs: list[Cost] = field(default_factory=list)

    @contextmanager
    def measure(self, system: str, step: str, size: str = "") -> Iterator[None]:
        """Measure what runs inside, whether or not it succeeds."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - begin
            self.costs.append(Cost(system, step, size, seconds, peak_memory()))


def peak_memory() -> float:
    """Give the peak resident memory of this process so far, in MB (10^6 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
