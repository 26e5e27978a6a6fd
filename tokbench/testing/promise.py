"""One promise of one component, and how a check says that it is broken."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tokbench.errors import TokbenchError

_LONGEST = 200


class Broken(AssertionError):
    """A promise is broken; the message says what was given, what came out, what would be right."""


@dataclass(frozen=True)
class Promise:
    """One promise of a plugin or component, which its `str` names: `learner bpe: sizes`."""

    subject: str
    name: str
    _check: Callable[[], None] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"

    def check(self) -> None:
        """Raise Broken, an AssertionError, unless the promise is kept."""
        try:
            self._check()
        except Broken as broken:
            raise Broken(f"{self}: {broken}") from broken.__cause__


@contextmanager
def given(what: str) -> Iterator[None]:
    """Turn whatever is raised inside, even SystemExit, into a broken promise that says for what.

    Ctrl-C passes.
    """
    try:
        yield
    except (Broken, KeyboardInterrupt):
        raise
    except TokbenchError as error:
        raise Broken(f"given {what}: {error}") from error
    except BaseException as error:  # libraries raise their own below BaseException
        raise Broken(f"given {what}: it raised {type(error).__name__}: {error}") from error


def expect(kept: bool, what: str, got: object, right: str) -> None:
    """Raise Broken unless a promise is kept: what was given, what came out, what would be right."""
    if not kept:
        raise Broken(f"given {what}: got {short(got)}, expected {right}")


def short(value: object) -> str:
    """Show a value on one line, its middle left out where it is long."""
    shown = value if isinstance(value, str) else ascii(value)
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[: _LONGEST // 2]} ... {shown[-_LONGEST // 4 :]}"
