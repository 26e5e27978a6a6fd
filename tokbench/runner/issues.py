"""Failures and notes of a run: values that each step returns beside its result."""

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from typing import Generic, NamedTuple, TypeVar

from tokbench.api import Size
from tokbench.config import System
from tokbench.errors import SizeError
from tokbench.failures import described, reported

LEFT_OUT = "left out: "
T = TypeVar("T")


class Issue(NamedTuple):
    """A failure, or a note that the report shows; a failure of a metric has its `place`."""

    where: str
    what: str
    place: str = ""
    failed: bool = False

    @property
    def text(self) -> str:
        """The whole message."""
        return f"{self.where}: {self.what}"

    @classmethod
    def of(cls, error: BaseException, where: str, place: str = "") -> "Issue":
        """Describe an error; a size that does not exist is a note, since nothing failed."""
        if isinstance(error, SizeError):
            return cls(where, f"{LEFT_OUT}{described(error)}")
        return cls(where, reported(error), place, failed=True)


class Attempt(NamedTuple, Generic[T]):
    """A job that was run: its value, or the error that it raised, also as an issue."""

    value: T | None
    error: BaseException | None = None
    issues: tuple[Issue, ...] = ()


def attempt(where: str, job: Callable[[], T]) -> Attempt[T]:
    """Run a job; whatever it raises, even SystemExit, is returned. Ctrl-C passes.

    Everything it prints goes to stderr, since stdout is for data.
    """
    try:
        with redirect_stdout(sys.stderr):
            return Attempt(job())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Attempt(None, error, (Issue.of(error, where),))


def where(system: System, size: Size | None = None) -> str:
    """Name a system, and its size if it has one, in messages."""
    return f"system {system.name}" + ("" if size is None else f" at size {size}")


def failures_of(issues: Iterable[Issue]) -> list[str]:
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
    return found


def reasons_of(issues: Iterable[Issue]) -> dict[str, str]:
    """Return why results are missing, by where: the first failure, else the first size left out."""
    explaining = (issue for issue in issues if issue.failed or issue.what.startswith(LEFT_OUT))
    reasons: dict[str, str] = {}
    for issue in sorted(explaining, key=lambda issue: not issue.failed):
        reasons.setdefault(issue.where, issue.what)
    return reasons
