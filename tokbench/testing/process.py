"""Checks in child processes, where a crash or an endless loop is a broken promise.

And work in a fresh process with another hash seed, where nothing is left over from here.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench.errors import CrashError, TokbenchError
from tokbench.runner.children import Child
from tokbench.testing.promise import PromiseError, short

SECONDS, MEGABYTES = 86_400, 1_000_000
"""The limits of processes that no promise limits."""


class ChildChecks:
    """The promises of a package or of files, as `promises` makes them, checked in one child.

    After a crash, or a check that takes longer than `seconds`, another child goes on.
    """

    def __init__(
        self,
        package: str | None,
        files: Sequence[Path],
        variants: Mapping[str, Any],
        seconds: float,
    ) -> None:
        self._child = Child(seconds, MEGABYTES)
        self._source = {"package": package, "files": [*map(str, files)], "variants": variants}

    def collect(self) -> str:
        """Make the promises there; return how that ended the process, nothing if it did not."""
        try:
            self._child.call("tokbench.testing.jobs:collect", {"source": self._source})
        except CrashError as crash:
            return str(crash)
        return ""

    def check(self, name: str) -> None:
        """Check one promise; raises PromiseError or SkipTest, as the check does."""
        try:
            job = {"source": self._source, "name": name}
            outcome, message = self._child.call("tokbench.testing.jobs:check", job)
        except CrashError as crash:
            raise PromiseError(f"the check {crash.how}") from None
        if outcome == "broken":
            raise PromiseError(message)
        if outcome == "skipped":
            raise SkipTest(message)


def in_fresh_process(function: str, files: Iterable[Path] = (), **details: Any) -> Any:
    """Return what `"module:function"` returns for files and details that JSON holds.

    Raises PromiseError if it fails.
    """
    seed = 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1
    child = Child(SECONDS, MEGABYTES, seed)
    try:
        return child.call(function, {"files": [*map(os.path.realpath, files)], **details})
    except TokbenchError as error:
        raise PromiseError(
            f"given a fresh process: it failed there: {short(str(error))}"
        ) from error
    finally:
        child.end()
