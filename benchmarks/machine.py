"""What the figures were measured on, and the versions of what was measured."""

import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path

from measure import own_peak_mb

PACKAGES = (
    "tokbench", "tokenizers", "sentencepiece", "rustbpe", "ffbpe", "gigatoken", "tiktoken",
    "subword-nmt", "tokenization-scorer", "toklens", "numpy",
)  # fmt: skip


def machine() -> dict[str, str | int | float | list[float]]:
    """Describe this machine, how busy it is, and the peak of this process, the least measurable."""
    return {
        "cpu": cpu(),
        "cores": os.cpu_count() or 0,
        "memory-gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": platform.platform(),
        "python": sys.version.split()[0],
        "own-peak-mb": round(own_peak_mb(), 1),
        "load": [round(load, 2) for load in os.getloadavg()],
    }


def cpu() -> str:
    """Return the processor's name as the kernel knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def versions() -> dict[str, str]:
    """Return the installed version of each program."""
    return {name: version(name) for name in PACKAGES}
