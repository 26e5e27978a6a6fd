"""What a worker does for plugins: it builds their components, and calls them."""

import _thread
import atexit
import builtins
import csv
import errno
import io
import json
import os
import pathlib
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from tokbench.api import Component, GoldReader, Vocabulary
from tokbench.api.files import changed
from tokbench.errors import DeadWorkerError, InputError, PluginError
from tokbench.failures import described
from tokbench.plugins.declarations import check_built
from tokbench.plugins.kinds import Kind
from tokbench.plugins.loading import load_one
from tokbench.plugins.registry import Plugin, staying_here
from tokbench.workers.loop import answer_calls

_WATCHED: tuple[ModuleType, ...] = (builtins, csv, io, json, numpy, os, pathlib, signal)
"""Modules of whose functions a plugin must replace none, beside those of tokbench."""


def serve(seat: socket.socket, folder: Path) -> None:
    """Answer the calls of a parent until it has gone."""
    answer_calls(seat, folder, Served())


class Served:
    """The components of one worker by number, and the vocabularies prepared for them."""

    def __init__(self) -> None:
        self._built: dict[int, Component] = {}
        self._prepared: dict[int, Any] = {}

    def probe(self, name: str, package: str, is_file: bool) -> str:
        """Import a plugin, and build what it offers with default options.

        Return what else that did to the process, which neither may do. What components raise, the
        parent will see itself. Raises what the import and the hooks raise.
        """
        vars(_thread)["start_new_thread"] = _start_counted
        forks: list[None] = []
        os.register_at_fork(before=lambda: forks.append(None))
        before = _state()
        for offer in load_one(Plugin(name, package, "", is_file)):
            try:
                check_built(offer.kind, offer.name, offer.imported().configure())
            except BaseException as error:
                if _harms(error):
                    raise
        if forks:
            return "its import copies the process (os.fork)"
        after = _state()
        changed = [key for key, value in before.items() if after.get(key) != value]
        if changed:
            return f"its import changes {', '.join(changed[:3])}"
        atexit._run_exitfuncs()  # one of them could end the parent with an exit code of its own
        return ""

    def build(
        self,
        number: int,
        plugin: tuple[str, str, bool],
        kind: Kind,
        name: str,
        options: Mapping[str, Any],
        folder: str | None,
    ) -> None:
        """Build a component from options as a config spells them."""
        package_name, package, is_file = plugin
        offers = load_one(Plugin(package_name, package, "", is_file))
        found = [one for one in offers if (one.kind, one.name) == (kind, name)]
        if not found:
            raise PluginError(f"{package} offers no {kind} {name!r} any more")
        with staying_here():
            component = found[0].imported()
            try:
                built = component.configure(Path(folder) if folder else None, **options)
                check_built(kind, name, built)
            except BaseException as error:
                if _harms(error):
                    raise DeadWorkerError(described(error)) from None
                raise
        self._built[number] = built

    def check_files(self, number: int, digests: Sequence[str]) -> None:
        """Raise InputError unless the files of a component are those that the parent has read."""
        for file, digest in zip(self._built[number].files, digests, strict=True):
            if file.digest != digest:
                raise changed(file.path, digest, file.digest)

    def prepare(self, number: int, prepared: int, vocabulary: Vocabulary) -> None:
        """Prepare a vocabulary for a segmenter."""
        segmenter: Any = self._built[number]
        with staying_here():
            self._prepared[prepared] = segmenter.prepare(vocabulary)

    def call(
        self,
        number: int,
        method: str,
        prepared: Sequence[int],
        given: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        """Call a method; what was prepared comes after the first argument."""
        first = [self._prepared[one] for one in prepared]
        with staying_here():
            try:
                built = self._built[number]
                answer = getattr(built, method)(*given[:1], *first, *given[1:], **named)
                return [*answer] if hasattr(answer, "__next__") else answer
            except ValueError as error:
                if isinstance(built, GoldReader):  # so it says what is wrong with a line
                    raise InputError(str(error)) from None
                raise


def _harms(error: BaseException) -> bool:
    """Whether the parent must not do again what raised this: it has no limits, and hears Ctrl-C."""
    too_large = isinstance(error, OSError) and error.errno == errno.EFBIG
    return too_large or isinstance(error, KeyboardInterrupt | MemoryError)


def _state() -> dict[str, Any]:
    """Return what an import must leave as it is: functions, signals, limits, standard streams."""
    ours = [m for name, m in [*sys.modules.items()] if name.partition(".")[0] == "tokbench"]
    found: dict[str, Any] = {
        f"{module.__name__}.{name}": id(value)
        for module in (*_WATCHED, *ours)
        for name, value in [*vars(module).items()]
        if callable(value)
    }
    found |= {f"the handler of {one.name}": str(signal.getsignal(one)) for one in signal.Signals}
    timers = signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF
    found["the alarm"] = [signal.getitimer(one) != (0.0, 0.0) for one in timers]
    found["the number of threads"] = _thread._count()
    found |= {k: resource.getrlimit(v) for k, v in vars(resource).items() if "RLIMIT_" in k}
    for number, stream in enumerate(("stdin", "stdout", "stderr")):
        found[stream] = _identity(number), id(getattr(sys, stream))
    return found


def _start_counted(function: Callable[..., object], args: Any, kwargs: Any = None) -> int | None:
    """Start a thread as `_thread` does; it is then among those that `_thread._count` counts."""
    thread = threading.Thread(target=function, args=args, kwargs=kwargs, daemon=True)
    thread.start()  # waits until it has begun
    return thread.ident


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
