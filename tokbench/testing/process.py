"""Checks in child processes, where a crash or an endless loop is a broken promise.

And work in a fresh process with another hash seed, where nothing is left over from here.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from unittest import SkipTest

from tokbench.errors import CrashError, TokbenchError
from tokbench.runner.children import Child
from tokbench.testing.promise import PromiseError, short

SECONDS, MEGABYTES = 86_400, 1_000_000
"""The limits of processes that no promise limits."""


def check_in(child: Child, source: Mapping[str, Any], name: str) -> None:
    """Check a promise in a child, which makes the promises of a package or of files itself.

    Raises PromiseError or SkipTest, as the check does. After a crash, or a check that takes too
    long, the next check starts another process.
    """
    try:
        outcome, message = child.call(
            "tokbench.testing.jobs:check", {"source": source, "name": name}
        )
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
        return child.call(function, {"files": [*map(str, files)], **details})
    except TokbenchError as error:
        failed = f"given a fresh process: it failed there: {short(str(error))}"
        raise PromiseError(failed) from error
    finally:
        child.end()
