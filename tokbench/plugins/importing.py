"""Keep the import of plugins from changing settings and modules, and list what it loads."""

import locale
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any

from tokbench.errors import PluginError


@contextmanager
def settings_kept() -> Iterator[None]:
    """Put the settings of the process back, whatever code of a plugin's inside does to them.

    What it prints goes to stderr, since stdout is for data.
    """
    put_back = _settings()
    try:
        with warnings.catch_warnings(), redirect_stdout(sys.stderr):
            yield
    finally:
        for setting in put_back:
            with suppress(Exception):  # a folder may be gone; a thread may set no handler
                setting()


def _settings() -> Sequence[Callable[[], object]]:
    """Return for each setting what puts it back as it is now."""
    mask = os.umask(0o077)
    os.umask(mask)
    path, depth, places = [*sys.path], sys.getrecursionlimit(), locale.setlocale(locale.LC_ALL)
    settings: list[Callable[[], object]] = [
        lambda: os.umask(mask),
        lambda: sys.path.__setitem__(slice(None), path),
        lambda: sys.setrecursionlimit(depth),
        lambda: locale.setlocale(locale.LC_ALL, places),
        *map(_handler, signal.valid_signals()),
        _state_of("socket", "getdefaulttimeout", "setdefaulttimeout"),
        _state_of("random", "getstate", "setstate"),
        _state_of("numpy.random", "get_state", "set_state"),
    ]
    with suppress(OSError):  # the folder was removed, so no path is given from it
        here = Path.cwd()
        settings.append(lambda: os.chdir(here))
    return settings


def _handler(number: int) -> Callable[[], object]:
    """Return what sets the handler of a signal again, if another has been set."""
    before = signal.getsignal(number)

    def put_back() -> None:
        if before is not None and signal.getsignal(number) is not before:
            signal.signal(number, before)

    return put_back


def _state_of(module: str, get: str, put: str) -> Callable[[], object]:
    """Return what puts the state of a module back, if it is loaded."""
    before: Any = None
    if read := getattr(sys.modules.get(module), get, None):  # another thread may be importing it
        before = read()

    def put_back() -> None:
        write = getattr(sys.modules.get(module), put, None)
        if write and (before is not None or module == "socket"):
            write(before)

    return put_back


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
