"""Keep code of plugins from changing settings and modules of the process."""

import locale
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any

from tokbench.errors import PluginError

Read = Callable[[], Any]
Write = Callable[[Any], object]


@contextmanager
def settings_kept() -> Iterator[None]:
    """Put the settings of the process back, whatever code of a plugin's inside does to them.

    What it prints goes to stderr, since stdout is for data.
    """
    before: list[tuple[Write, Any]] = []
    for read, write in _settings():
        with suppress(OSError):  # the current folder was removed
            before.append((write, read()))
    try:
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            yield
    finally:
        for write, value in before:
            with suppress(Exception):  # a folder may be gone; a thread may set no handler
                write(value)


def _settings() -> Iterator[tuple[Read, Write]]:
    """Yield what reads each setting, and what writes it."""
    # Libraries set these in good faith; who replaces a function of Python does so on purpose.
    yield os.getcwd, os.chdir
    yield sys.path.copy, partial(sys.path.__setitem__, slice(None))
    yield sys.getrecursionlimit, sys.setrecursionlimit
    place = partial(locale.setlocale, locale.LC_ALL)
    yield place, place
    for number in signal.valid_signals():
        yield partial(signal.getsignal, number), partial(_set_handler, number)
    for name, get, put in (
        ("random", "getstate", "setstate"),
        ("numpy.random", "get_state", "set_state"),
    ):
        module = sys.modules.get(name)
        if hasattr(module, put):  # else it is not loaded, or still being imported
            yield getattr(module, get), getattr(module, put)


def _set_handler(number: int, handler: Any) -> None:
    # A handler that Python did not set is None, and cannot be set again.
    if handler is not None and signal.getsignal(number) is not handler:
        signal.signal(number, handler)


@contextmanager
def no_hidden_modules(folder: Path | None) -> Iterator[None]:
    """Raise PluginError if a file beside a plugin, in a folder, is loaded as a standard module.

    It is forgotten, so that others get the standard module.
    """
    before = {*sys.modules}
    try:
        yield
    finally:
        hiding = []
        for name in (sys.modules.keys() - before) & sys.stdlib_module_names:
            file = getattr(sys.modules[name], "__file__", None)
            if folder is not None and file and folder in Path(file).parents:
                hiding.append(Path(file))
                del sys.modules[name]
    if hiding:
        listed = ", ".join(sorted(path.name for path in hiding))
        raise PluginError(f"{listed} in {folder} hides a module of Python's own: rename it")
