"""Which engine does the work: compiled kernels where they are built, else plain Python.

Both give the same results, so the engine stands in no signature. A component that has compiled
kernels asks for them with `kernels(module)` each time that it works.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from types import ModuleType
from typing import Literal, get_args

from tokbench.errors import PluginError, UsageError

EngineName = Literal["auto", "compiled", "python"]

ENGINES: tuple[EngineName, ...] = get_args(EngineName)
VARIABLE = "TOKBENCH_ENGINE"
COUNT_TABLE = "tokbench.api._count_table"
"""The kernels of scoring, at work whatever the components are."""

_chosen: ContextVar[EngineName | None] = ContextVar("engine", default=None)


@contextmanager
def using(engine: EngineName) -> Iterator[None]:
    """Let one engine do all work inside; `auto` leaves the choice to the environment."""
    token = _chosen.set(None if engine == "auto" else engine)
    try:
        yield
    finally:
        _chosen.reset(token)


def chosen() -> EngineName:
    """Return the engine that is asked for: by `using`, else by TOKBENCH_ENGINE, else `auto`.

    Raises UsageError where TOKBENCH_ENGINE holds anything else.
    """
    inside = _chosen.get()
    if inside is not None:
        return inside
    wanted = os.environ.get(VARIABLE) or "auto"
    for engine in ENGINES:
        if wanted == engine:
            return engine
    raise UsageError(f"{VARIABLE}: found {wanted!r}, expected one of {', '.join(ENGINES)}")


def kernels(module: str) -> ModuleType | None:
    """Return a package's compiled kernels, or None where plain Python is to do the work.

    Raises PluginError where the compiled engine is asked for and the module was not built.
    """
    engine = chosen()
    if engine == "python":
        return None
    try:
        return import_module(module)
    except ImportError as error:
        if engine == "compiled":
            raise PluginError(
                f"the compiled engine is asked for, but {module} was not built: install again "
                f"where there is a C compiler, or set the engine to auto or python ({error})"
            ) from None
        return None


def active(module: str) -> Literal["compiled", "python", "missing"]:
    """Return the engine that does the work of a module's kernels.

    `missing`: the compiled one is asked for and was not built, so `kernels` would raise.
    """
    try:
        return "python" if kernels(module) is None else "compiled"
    except PluginError:
        return "missing"
