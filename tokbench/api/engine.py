"""Compiled kernels: they do the work where they were built, plain Python where they were not.

Both give the same results, so neither stands in a signature. A component that has kernels asks for
them with `kernels(module)` each time that it works.
"""

import os
from importlib import import_module
from types import ModuleType
from typing import Literal

VARIABLE = "TOKBENCH_ENGINE"
"""Where it is `python`, plain Python does all work: so tests compare the two."""


def kernels(module: str) -> ModuleType | None:
    """Return a package's compiled kernels, or None where plain Python is to do the work."""
    if python_is_forced():
        return None
    try:
        return import_module(module)
    except ImportError:
        return None


def active(module: str) -> Literal["compiled", "python"]:
    """Return what does the work of a module's kernels."""
    return "python" if kernels(module) is None else "compiled"


def python_is_forced() -> bool:
    """Return whether plain Python is to do all work, whatever was built."""
    return os.environ.get(VARIABLE) == "python"
