"""Failures and notes of a run: values that each step returns beside its result."""

import resource
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from tokbench.errors import SizeError
from tokbench.failures import described, reported
from tokbench.run_folder.record import Cost

T = TypeVar("T")


class Issue(NamedTuple):
    """A failure, or a note that the report shows; a failure of a metric has its `place`."""

    text: str
    place: str = ""
    failed: bool = True

    @classmethod
    def note(cls, text: str) -> "Issue":
        """Return a note."""
        return cls(text, failed=False)

    @classmethod
    def of(cls, error: BaseException, where: str, place: str = "") -> "Issue":
        """Describe an error; a size that does not exist is a note, since nothing failed."""
        if isinstance(error, SizeError):
            return cls.note(f"{where}: left out: {described(error)}")
        return cls(f"{where}: {reported(error)}", place)


class CostStep(NamedTuple):
    """A step that is measured: of which system, and at which size, empty for all sizes."""

    system: str
    step: str
    size: str = ""


@dataclass(frozen=True)
class Attempt(Generic[T]):
    """A job that was run: its value, or the error that it raised, and its cost."""

    value: T | None
    error: BaseException | None
    where: str
    costs: tuple[Cost, ...] = ()

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The error as an issue; nothing where there was none."""
        return () if self.error is None else (Issue.of(self.error, self.where),)


def attempt(where: str, job: Callable[[], T], step: CostStep | None = None) -> Attempt[T]:
    """Run a job; whatever it raises, even SystemExit, is returned. Ctrl-C passes.

    Its cost is that of `step`. Everything it prints goes to stderr, since stdout is for data.
    """
    begin = time.perf_counter()
    value, error = None, None
    try:
        with redirect_stdout(sys.stderr):
            value = job()
    except KeyboardInterrupt:
        raise
    except BaseException as raised:
        error = raised
    costs: tuple[Cost, ...] = ()
    if step is not None:
        costs = (Cost(*step, time.perf_counter() - begin, peak_memory()),)
    return Attempt(value, error, where, costs)


def peak_memory() -> float:
    """Return the peak resident memory of this process so far, in MB (10^6 bytes)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def notes_of(issues: Iterable[Issue]) -> tuple[str, ...]:
    """Return the notes, each once."""
    return tuple(dict.fromkeys(issue.text for issue in issues if not issue.failed))


def failures_of(issues: Iterable[Issue]) -> tuple[str, ...]:
    """Return each failure with its first place, and how many more there were.

    The failure of a metric comes up again with every system.
    """
    places: dict[str, list[str]] = {}
    for issue in issues:
        if issue.failed:
            places.setdefault(issue.text, []).append(issue.place)
    found = []
    for failure, (first, *more) in places.items():
        again = f", and {len(more)} more times" if more else ""
        found.append(f"{failure} ({first}{again})" if first else failure)
    return tuple(found)
