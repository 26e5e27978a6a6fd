"""What a long command is doing: a bar on a terminal, else a line for each system that has ended."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from tokbench.cli.options import say
from tokbench.printing import printable


class ShownProgress:
    """What is being done, and how much of the work is done.

    It is called with each step of a command, and with the share of all work that is done.
    `of_system` is told the same of each system of a run.
    """

    def __init__(
        self,
        say_system: Callable[[str], None] = say,
        say_step: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._say_system, self._say_step = say_system, say_step
        self._begin = time.monotonic()
        self._step, self._share, self._bytes = "", 0.0, 0
        self._expected, self._ended = 0, 0
        self._shares: dict[str, float] = {}
        self._begun: dict[str, float] = {}
        self.changed: Callable[[], None] = lambda: None

    def __call__(self, step: str, share: float = 0.0) -> None:
        """Begin a step; a share that is below an earlier one changes nothing."""
        if step != self._step:
            self._say_step(f"{time.monotonic() - self._begin:8.3f} s  {step}")
        self._step, self._share = step, max(share, self._share)
        self.changed()

    def expect(self, systems: int) -> None:
        """Expect so many systems."""
        self._expected = systems

    def of_system(self, system: str, step: str | None, share: float) -> None:
        """Begin a step of a system, which has done a share of its work; None where it has ended."""
        begun = self._begun.setdefault(system, time.monotonic())
        self._shares[system] = share
        if step is None:
            self._ended += 1
            self._say_system(f"{printable(system)}: {time.monotonic() - begun:.1f} s")
            self.changed()
        else:
            self(f"{system}: {step}")

    def read(self, size: int) -> None:
        """Count bytes that were read."""
        self._bytes += size

    @property
    def step(self) -> str:
        """The current step, on one line."""
        return printable(self._step)

    @property
    def done(self) -> tuple[float, float | None]:
        """How much is done, and of how much: systems, or the share of the work if it is known."""
        if self._shares:
            return sum([*self._shares.values()]), self._expected
        return self._share, 1 if self._share else None

    @property
    def is_of_systems(self) -> bool:
        """Whether it shows systems. They take unequal times, so the remaining time is unknown."""
        return bool(self._shares)

    @property
    def count(self) -> str:
        """The number of systems that have ended, or of bytes that were read."""
        if self._shares:
            return f"{self._ended:,}/{self._expected:,}"
        return f"{self._bytes / 1e6:,.1f} MB" if self._bytes else ""


@contextmanager
def showing_progress(quiet: bool, verbose: bool) -> Iterator[ShownProgress]:
    """Show on stderr what a command is doing, or nothing if it is `quiet`.

    With `verbose` each step has a line of its own instead of the bar.
    """
    if quiet:
        yield ShownProgress(say_system=lambda text: None)
    elif verbose:
        yield ShownProgress(say_step=say)
    elif sys.stderr.isatty():
        with _bar() as progress:
            yield progress
    else:
        yield ShownProgress()


@contextmanager
def _bar() -> Iterator[ShownProgress]:
    """Show a bar with the current step on the last line of the terminal, cropped to it."""
    from rich.console import Console  # only terminals need it
    from rich.progress import (
        BarColumn,
        Progress,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column
    from rich.text import Text

    console = Console(stderr=True)
    # The console puts a line above the bar; others would be written behind it.
    progress = ShownProgress(partial(console.print, markup=False, highlight=False, soft_wrap=True))

    def text(of: str, column: Column) -> TextColumn:
        return TextColumn(f"{{task.fields[shown].{of}}}", markup=False, table_column=column)

    class Remaining(TimeRemainingColumn):
        def render(self, task: Task) -> Text:
            return Text() if progress.is_of_systems else super().render(task)

    fixed = Column(no_wrap=True)
    columns = (
        BarColumn(None, table_column=Column(ratio=1)),
        text("count", fixed.copy()),
        TimeElapsedColumn(table_column=fixed.copy()),
        Remaining(table_column=fixed.copy()),
        text("step", Column(no_wrap=True, overflow="ellipsis", ratio=3)),
    )
    # A step may take minutes, so all that is done so far tells the speed.
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, expand=True,
        speed_estimate_period=float("inf"),
    ) as bar:  # fmt: skip
        task = bar.add_task("", total=None, shown=progress)

        def changed() -> None:
            completed, total = progress.done
            bar.update(task, completed=completed, total=total)

        progress.changed = changed
        yield progress
