"""Keep code of plugins from changing settings and modules of the process."""

import locale
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from tokbench.errors import PluginError
from tokbench.failures import stdout_to_stderr

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
        with warnings.catch_warnings(), stdout_to_stderr():
            yield
    finally:
        for write, value in before:
            with suppress(Exception):  # a folder may be gone; a thread may set no handler
                write(value)


def _settings() -> Iterator[tuple[Read, Write]]:
    """Yield what reads each setting, and what writes it."""
    # Libraries set these in good faith; who replaces a function of Python does so on purpose.
    yield os.getcwd, os.chdir
    yield _umask, os.umask
    yield _socket_timeout, _set_socket_timeout
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


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _socket_timeout() -> float | None:
    # A module that is not loaded has the timeout that it is loaded with.
    read = getattr(sys.modules.get("socket"), "getdefaulttimeout", None)
    timeout: float | None = read() if read else None
    return timeout


def _set_socket_timeout(timeout: float | None) -> None:
    if write := getattr(sys.modules.get("socket"), "setdefaulttimeout", None):
        write(timeout)


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
