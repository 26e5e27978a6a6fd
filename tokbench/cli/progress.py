"""What a long command is doing: on one line of a terminal, or in a plain line now and then."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tokbench.cli.options import Command, Decorator, say
from tokbench.printing import printable

SECOND = 1.0
PLAIN_SECONDS = 10.0
"""How often a plain line is printed where there is no terminal."""

FIRST_SHARE = 0.05
"""Of the work; before so much is done, nobody knows how long it takes."""


def verbose_option(command: Command) -> Command:
    """Add `-v`."""
    import click

    text = "Print each step with the seconds that have passed."
    decorator: Decorator = click.option("-v", "--verbose", is_flag=True, help=text)
    return decorator(command)


class ShownProgress:
    """What is being done, and which share of all work is done; it is called with both."""

    def __init__(self, verbose: bool) -> None:
        self._verbose = verbose
        self._begin = time.monotonic()
        self._message, self._share, self._bytes = "", 0.0, 0

    def __call__(self, message: str, share: float = 0.0) -> None:
        """Begin a step."""
        self._message, self._share = message, share
        if self._verbose:
            say(f"{time.monotonic() - self._begin:8.3f} s  {message}")

    def read(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes += size

    def text(self) -> str:
        """Return what is being done, with the bytes read, or the time that is left."""
        told = self._message
        if not self._share and self._bytes:
            told += f", {self._bytes / 1e6:,.1f} MB read"
        if FIRST_SHARE < self._share < 1:
            passed = time.monotonic() - self._begin
            left = passed * (1 - self._share) / self._share
            told += f", about {f'{left:.0f} s' if left < 90 else f'{left / 60:.0f} min'} left"
        return told


@contextmanager
def showing_progress(quiet: bool, verbose: bool) -> Iterator[ShownProgress]:
    """Show what takes longer than a second, on stderr: nothing where it is `quiet`.

    With `verbose` each step has a line of its own instead.
    """
    progress = ShownProgress(verbose and not quiet)
    if quiet or verbose:
        yield progress
        return
    with ExitStack() as stack:
        if sys.stderr.isatty():
            stack.enter_context(_repeated(SECOND, _status_line(stack, progress)))
        else:
            stack.enter_context(_repeated(PLAIN_SECONDS, lambda: say(progress.text())))
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
    """Return what draws the line; it begins when it is drawn for the first time."""
    drawn: list[Any] = []

    def draw() -> None:
        # Drawing costs a tenth of a second to load, which only a long command on a terminal needs.
        from rich.console import Console
        from rich.markup import escape

        text = escape(printable(progress.text()))
        if not drawn:
            drawn.append(stack.enter_context(Console(stderr=True).status(text)))
        drawn[0].update(text)

    return draw
