"""Measured cost: seconds, and the peak memory of the process when each step ended."""

import resource
import sys
from typing import NamedTuple


class CostStep(NamedTuple):
    """A step that is measured: of which system, and at which size, empty for all sizes."""

    system: str
    step: str
    size: str = ""


def peak_memory() -> float:
    """Return the peak resident memory of this process so far, in MB (10^6 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
