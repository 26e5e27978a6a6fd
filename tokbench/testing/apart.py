"""Checks of others' plugins in a worker, so that a crash or an endless loop is a broken promise."""

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench.errors import DeadWorkerError, WorkerError
from tokbench.testing.promise import Promise, PromiseError
from tokbench.workers.limits import Limits
from tokbench.workers.loop import answer_calls
from tokbench.workers.process import Call, Worker, without_key

SERVE = "tokbench.testing.apart:serve"


class ChecksApart:
    """The promises of a package or of files, as `promises` makes them, checked in a worker."""

    def __init__(
        self,
        package: str | None,
        files: Sequence[Path],
        variants: Mapping[str, Any],
        seconds: float,
    ) -> None:
        limits = Limits(seconds=seconds, idle_seconds=max(seconds, 1))
        self._worker = Worker("check", SERVE, limits)
        self._collect = Call("collect", (package, [*map(str, files)], variants), key="collect")

    def collect(self) -> str:
        """Make the promises there; return how that ended the process, nothing if it did not."""
        try:
            self._worker.run([self._collect])
        except WorkerError as error:
            return without_key(error)
        return ""

    def check(self, name: str) -> None:
        """Check one promise; raises PromiseError or SkipTest, as the check does."""
        try:
            kind, text = self._worker.run([self._collect, Call("check", (name,))])
        except DeadWorkerError as error:
            raise PromiseError(f"the check `{name}`: {without_key(error)}") from None
        if kind:
            raise {"broken": PromiseError, "skipped": SkipTest}[kind](text)


def serve(seat: socket.socket, folder: Path) -> None:
    """Answer the calls of ChecksApart."""
    answer_calls(seat, folder, _Served())


class _Served:
    """The promises of one package, by name."""

    def __init__(self) -> None:
        self._promises: dict[str, Promise] = {}

    def collect(self, package: str | None, files: Sequence[str], variants: Any) -> None:
        from tokbench.testing.collect import collected

        found = collected(package, [*map(Path, files)], variants, trusted=True)
        self._promises = {str(promise): promise for _, promise in found}

    def check(self, name: str) -> tuple[str, str]:
        try:
            self._promises[name].run()
        except PromiseError as broken:
            return "broken", str(broken)
        except SkipTest as skipped:
            return "skipped", str(skipped)
        return "", ""
