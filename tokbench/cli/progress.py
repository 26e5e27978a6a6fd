"""What a long command is doing: on one line of a terminal, or in a plain line now and then."""

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from tokbench.cli.options import say
from tokbench.printing import printable

PLAIN_SECONDS = 10.0
"""How often a plain line is printed where there is no terminal."""

STEADY = 0.25
"""The time left is shown where two estimates of the whole time that follow are so close."""


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
    """Show on stderr what a command is doing, or nothing if it is `quiet`.

    With `verbose` each step has a line of its own instead.
    """
    progress = ShownProgress(verbose and not quiet)
    shown: AbstractContextManager[object] = nullcontext()
    if not (quiet or verbose):
        shown = _status_line(progress) if sys.stderr.isatty() else _plain_lines(progress)
    with shown:
        yield progress


def _status_line(progress: ShownProgress) -> AbstractContextManager[object]:
    """Return what shows the current step on one line of the terminal, cropped to it."""
    from rich.console import Console  # only terminals need it
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    console = Console(stderr=True)
    spinner = Spinner("dots")

    def line() -> Spinner:
        message, far = progress.text
        text = Text(printable(message))
        text.truncate(console.width - len(f"* {far}"), overflow="ellipsis")
        text.append(far)
        spinner.update(text=text)
        return spinner

    return Live(
        get_renderable=line,
        console=console,
        refresh_per_second=10,
        transient=True,
        redirect_stdout=False,
    )


@contextmanager
def _plain_lines(progress: ShownProgress) -> Iterator[None]:
    """Print the current step every few seconds."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(PLAIN_SECONDS):
            say("".join(progress.text))

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
