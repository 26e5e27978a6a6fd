"""Checks in child processes, where a crash or an endless loop is a broken promise.

And work in a fresh process with another hash seed, where nothing is left over from here.
"""

import io
import os
import re
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any
from unittest import SkipTest

import tokbench
from tokbench.errors import CrashError, TokbenchError
from tokbench.printing import counted
from tokbench.runner.children import Child
from tokbench.testing.promise import Failure, Promise, PromiseError, short

SECONDS, MEGABYTES = 86_400, 1_000_000
"""The limits of processes that no promise limits."""
FRAME = re.compile(r'^  File "(.+)", line (\d+) in ', re.MULTILINE)
"""A line of what `faulthandler` writes when a process dies, the innermost call first."""
TIMED_OUT = "Timeout ("
OURS = (Path(tokbench.__file__).parent, Path(sysconfig.get_path("stdlib")))


class ChildChecks:
    """Checks promises in one child process, which makes them of a package or of files itself.

    Each may take so many `seconds`. After a crash, or a check that takes longer, the promises of
    the same component that come later are not tried.
    """

    def __init__(self, source: Mapping[str, Any], seconds: float) -> None:
        self._source, self._seconds = source, seconds
        # The child ends itself, and writes where it was; else it is ended.
        self._child = Child(2 * seconds, MEGABYTES)
        self._ended: dict[str, Failure] = {}

    def check(self, promise: Promise) -> None:
        """Check one promise; raises PromiseError or SkipTest, as the check does."""
        if promise.subject in self._ended:
            raise PromiseError(self._ended[promise.subject])
        job = {"source": self._source, "name": str(promise), "seconds": self._seconds}
        inputs = [("", monotonic())]
        printed = io.StringIO()
        try:
            with redirect_stderr(printed):
                answer = self._child.call(
                    "tokbench.testing.jobs:check",
                    job,
                    lambda what, share: inputs.append((what, monotonic())),
                )
        except CrashError as crash:
            inputs.append(("", monotonic()))
            self._ended[promise.subject] = self._crashed(crash, printed.getvalue(), inputs)
            raise PromiseError(self._ended[promise.subject]) from None
        if "skipped" in answer:
            raise SkipTest(answer["skipped"])
        if answer["failures"]:
            raise PromiseError(*(Failure(**failure) for failure in answer["failures"]))

    def _crashed(
        self, crash: CrashError, printed: str, inputs: Sequence[tuple[str, float]]
    ) -> Failure:
        """Name the line and the input at which a process ended, or the slowest input."""
        place = _own_frame(printed)
        at = f" ({place})" if place else ""
        if not (crash.limit or TIMED_OUT in printed):
            last = inputs[-2][0] or "the start of the process"
            return Failure(last, f"the process {crash.how}{at}", f"{crash.how}{at}")
        taken = [(end - begin, what) for (what, begin), (_, end) in pairwise(inputs) if what]
        seconds, slowest = max(taken, default=(0.0, "the start of the process"))
        wrong = f"the check took longer than its {self._seconds:g} s{at}, this input alone "
        wrong += f"{seconds:.1f} s, {counted(len(taken), 'input')} in all"
        wrong += "; later promises of the same component are not tried"
        wrong += "; words have up to 10,000 characters" if "ababab" in slowest else ""
        return Failure(slowest, wrong, f"too long{at}")


def _own_frame(trace: str) -> str:
    """Return the file and line of a plugin that a process was in, else an empty text."""
    home, place = None, ""
    for path, line in reversed(FRAME.findall(trace)):
        is_ours = any(ours in Path(path).parents for ours in OURS) and "-packages" not in path
        if is_ours or path.startswith("<"):
            continue
        home = home or path
        place = f"{Path(path).name}:{line}" if path == home else place
    return place


def in_fresh_process(function: str, files: Iterable[Path] = (), **details: Any) -> Any:
    """Return what `"module:function"` returns for files and details that JSON holds.

    Raises PromiseError if it fails.
    """
    # Another order of sets and dictionaries of texts than here.
    seed = 2 if os.environ.get("PYTHONHASHSEED") == "1" else 1
    child = Child(SECONDS, MEGABYTES, seed)
    try:
        return child.call(function, {"files": [*map(str, files)], **details})
    except TokbenchError as error:
        failed = f"it failed there: {short(str(error))}"
        raise PromiseError(Failure("a fresh process", failed)) from error
    finally:
        child.end()
