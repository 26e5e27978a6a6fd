"""One promise of a component, and how a check says that it is broken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from unittest import SkipTest

from tokbench.errors import TokbenchError
from tokbench.failures import described

LONGEST = 200


class PromiseError(AssertionError):
    """A promise is broken; the message has the input, the result, and what would be right."""


@dataclass(frozen=True)
class Promise:
    """One promise of a plugin or component, which its `str` names: `learner bpe: sizes`.

    `known_break` is the reason why it cannot be kept, if that is known.
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

        Raise unittest.SkipTest, which pytest reports with its reason, if something that the check
        needs is missing, or if the promise has a `known_break` and is broken. A promise with a
        `known_break` that is kept raises PromiseError: the break is no longer true.
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
    except BaseException as error:
        raised = "" if isinstance(error, TokbenchError) else "it raised "
        raise PromiseError(f"given {what}: {raised}{described(error)}") from error


def expect(kept: bool, what: str, got: object, right: str) -> None:
    """Raise PromiseError unless a promise is kept; `right` is the result that would be right."""
    if not kept:
        raise PromiseError(f"given {what}: got {short(got)}, expected {right}")


def short(value: object) -> str:
    """Show a value on one line; leave out the middle of a long one."""
    shown = value if isinstance(value, str) else repr(value)
    if len(shown) <= LONGEST:
        return shown
    return f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 4 :]}"
