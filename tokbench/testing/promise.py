"""One promise of one component, and how a check says that it is broken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import SkipTest

from tokbench.errors import TokbenchError

_LONGEST = 200


class PromiseError(AssertionError):
    """A promise is broken; the message says what was given, what came out, what would be right."""


@dataclass(frozen=True)
class Promise:
    """One promise of a plugin or component, which its `str` names: `learner bpe: sizes`.

    `known_break` says why it cannot be kept, where that is known.
    """

    subject: str
    name: str
    _check: Callable[[], None] = field(repr=False)
    known_break: str = ""

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"

    def run(self) -> None:
        """Check, whatever is known of it; raises PromiseError or unittest.SkipTest."""
        with checking("the samples of tokbench.testing"):
            self._check()

    def check(self) -> None:
        """Raise PromiseError, an AssertionError, unless the promise is kept.

        Raise unittest.SkipTest, which pytest reports with its reason, where something that the
        check needs is missing, or where the promise has a `known_break` and is broken. A promise
        with a `known_break` that is kept raises PromiseError: the break is no longer true.
        """
        try:
            self.run()
        except PromiseError as broken:
            if self.known_break:
                raise SkipTest(f"{self}: known break: {self.known_break} ({broken})") from None
            raise PromiseError(f"{self}: {broken}") from broken.__cause__
        if self.known_break:
            raise PromiseError(f"{self}: kept, so it is no known break ({self.known_break})")


@contextmanager
def checking(what: str) -> Iterator[None]:
    """Turn any error raised inside, even SystemExit, into a PromiseError that names the input.

    Ctrl-C passes, and so does a test that is skipped.
    """
    try:
        yield
    except (PromiseError, SkipTest, KeyboardInterrupt):
        raise
    except TokbenchError as error:
        raise PromiseError(f"given {what}: {error}") from error
    except BaseException as error:
        raised = " ".join(f"{type(error).__name__}: {error}".split())
        raise PromiseError(f"given {what}: it raised {raised}") from error


def expect(kept: bool, what: str, got: object, right: str) -> None:
    """Raise PromiseError unless a promise is kept; `right` says what would have been."""
    if not kept:
        raise PromiseError(f"given {what}: got {short(got)}, expected {right}")


def short(value: object) -> str:
    """Show a value on one line, its middle left out where it is long."""
    shown = value if isinstance(value, str) else repr(value)
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST // 2]} ... {shown[-_LONGEST // 4 :]}"
