"""What a long command is doing: on one line of a terminal, or in a plain line now and then."""

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tokbench.cli.options import say
from tokbench.printing import printable

REDRAWN_SECONDS = 0.1
PLAIN_SECONDS = 10.0
"""How often a plain line is printed where there is no terminal."""

STEADY = 0.25
"""The time left is shown where two estimates of the whole time that follow are so close."""

_LOADING = threading.Lock()
# A copy that is made while a thread loads modules would wait for them for ever.
os.register_at_fork(
    before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release
)


class ShownProgress:
    """What is being done, and which share of all work is done; it is called with both."""

    def __init__(self, verbose: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._verbose, self._clock = verbose, clock
        self._begin = clock()
        self._message, self._share, self._bytes = "", 0.0, 0
        self._total, self._steady, self._least_left = math.inf, False, math.inf

    def __call__(self, message: str, share: float = 0.0) -> None:
        """Begin a step; a share that is below an earlier one changes nothing."""
        passed = self._clock() - self._begin
        if self._verbose and message != self._message:
            say(f"{passed:8.3f} s  {message}")
        self._message = message
        if share > self._share:
            total = passed / share
            self._steady = abs(total - self._total) <= STEADY * total
            self._share, self._total = share, total

    def read(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes += size

    @property
    def text(self) -> tuple[str, str]:
        """The current step, then the bytes read, or the time left where known; it never rises."""
        if not self._share and self._bytes:
            return self._message, f", {self._bytes / 1e6:,.1f} MB read"
        left = self._begin + self._total - self._clock()
        if not self._steady or not 0 < left <= self._least_left:
            return self._message, ""
        self._least_left = left
        shown = f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"
        return self._message, f", about {shown} left"


@contextmanager
def showing_progress(quiet: bool, verbose: bool) -> Iterator[ShownProgress]:
    """Show on stderr what takes longer than a moment: nothing where it is `quiet`.

    With `verbose` each step has a line of its own instead.
    """
    progress = ShownProgress(verbose and not quiet)
    if quiet or verbose:
        yield progress
        return
    with ExitStack() as stack:
        if sys.stderr.isatty():
            stack.enter_context(_repeated(REDRAWN_SECONDS, _status_line(stack, progress)))
        else:
            stack.enter_context(_repeated(PLAIN_SECONDS, lambda: say("".join(progress.text))))
        yield progress


@contextmanager
def _repeated(seconds: float, action: Callable[[], None]) -> Iterator[None]:
    """Do something again and again, each time after so many seconds."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(seconds):
            action()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _status_line(stack: ExitStack, progress: ShownProgress) -> Callable[[], None]:
    """Return what draws the line, cropped to one; it begins when it is first drawn."""
    drawn: list[Any] = []

    def draw() -> None:
        # To load this takes a tenth of a second, which a command without a terminal never needs.
        with _LOADING:
            from rich.console import Console
            from rich.text import Text

        console = Console(stderr=True)
        message, far = progress.text
        text = Text(printable(message))
        text.truncate(console.width - len(f"* {far}"), overflow="ellipsis")
        text.append(far)
        if not drawn:
            drawn.append(stack.enter_context(console.status(text)))
        drawn[0].update(text)

    return draw
