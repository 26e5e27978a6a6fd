"""What a long command is doing: a bar on a terminal, else a line for each system that has ended."""

import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from tokbench.cli.options import say
from tokbench.printing import printable

if TYPE_CHECKING:
    from tokbench.config import Experiment


class ShownProgress:
    """What is being done, and how much of the work is done.

    It is called with each step of a command, and with the share of all work that is done.
    `of_system` is told the same of each system of a run.
    """

    def __init__(
        self,
        say_system: Callable[[str], None] = say,
        say_step: Callable[[str], None] = lambda text: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._say_system, self._say_step, self._clock = say_system, say_step, clock
        self._begin = clock()
        self._step, self._share, self._bytes = "", 0.0, 0
        self._kinds: Mapping[str, Hashable] = {}
        self._jobs = 1
        self._shares: dict[str, float] = {}
        self._begun: dict[str, float] = {}
        self._seconds: dict[str, float] = {}
        self.changed: Callable[[], None] = lambda: None

    def __call__(self, step: str, share: float = 0.0) -> None:
        """Begin a step; a share that is below an earlier one changes nothing."""
        if step != self._step:
            self._say_step(f"{self._clock() - self._begin:8.3f} s  {step}")
        self._step, self._share = step, max(share, self._share)
        self.changed()

    def expect(self, kinds: Mapping[str, Hashable], jobs: int = 1) -> None:
        """Expect systems by name, so many side by side; those of a kind have the same work."""
        self._kinds, self._jobs = kinds, jobs

    def expect_systems(self, experiment: "Experiment") -> None:
        """Expect the systems of a config; with equal learners and sizes they have the same work."""
        kinds = {
            system.name: (system.learner_name, system.segmenter_name, system.sizes)
            for system in experiment.systems
        }
        self.expect(kinds, experiment.jobs)

    def of_system(self, system: str, step: str | None, share: float) -> None:
        """Begin a step of a system, which has done a share of its work; None where it has ended."""
        begun = self._begun.setdefault(system, self._clock())
        self._shares[system] = share
        if step is None:
            self._seconds[system] = self._clock() - begun
            self._say_system(f"{printable(system)}: {self._seconds[system]:.1f} s")
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
        if self._kinds and self._begun:
            return sum([*self._shares.values()]), len(self._kinds)
        return self._share, 1 if self._share else None

    @property
    def count(self) -> str:
        """The number of systems that have ended, or of bytes that were read."""
        if self._kinds and self._begun:
            return f"{len(self._seconds):,}/{len(self._kinds):,}"
        return f"{self._bytes / 1e6:,.1f} MB" if self._bytes else ""

    @property
    def left(self) -> str:
        """The time that is left; empty unless a system of each kind has ended that is left.

        It is that of the slowest one of its kind. Nothing is known of a system that is slower.
        """
        seconds = []
        for system in self._kinds.keys() - self._seconds.keys():
            alike = [
                s for name, s in self._seconds.items() if self._kinds[name] == self._kinds[system]
            ]
            now = self._clock()
            rest = max(alike, default=0) - (now - self._begun.get(system, now))
            if rest <= 0:
                return ""
            seconds.append(rest)
        left = max(sum(seconds) / self._jobs, max(seconds, default=0))
        if left < 1:
            return ""
        return f"~{left:.0f} s left" if left < 90 else f"~{left / 60:.0f} min left"


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
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    console = Console(stderr=True)
    # The console puts a line above the bar; others would be written behind it.
    progress = ShownProgress(partial(console.print, markup=False, highlight=False, soft_wrap=True))

    def text(of: str, column: Column) -> TextColumn:
        return TextColumn(f"{{task.fields[shown].{of}}}", markup=False, table_column=column)

    fixed = Column(no_wrap=True)
    columns = (
        BarColumn(None, table_column=Column(ratio=1)),
        text("count", fixed.copy()),
        TimeElapsedColumn(table_column=fixed.copy()),
        text("left", fixed.copy()),
        text("step", Column(no_wrap=True, overflow="ellipsis", ratio=3)),
    )
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, expand=True
    ) as bar:
        task = bar.add_task("", total=None, shown=progress)

        def changed() -> None:
            completed, total = progress.done
            bar.update(task, completed=completed, total=total)

        progress.changed = changed
        yield progress
