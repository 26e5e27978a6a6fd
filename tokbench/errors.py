"""The errors that tokbench reports, each with the exit code that it ends the program with."""

# The arguments of an error are those of its class, as copying and pickling it needs.

from dataclasses import dataclass
from typing import ClassVar

LONGEST_SHOWN = 200

LEFT_OUT = "left out: "
"""How the reason begins why a size has no results, where that is no failure."""


class TokbenchError(Exception):
    """Something that the user can mend; its message says where, what was found, what is right."""

    exit_code = 1


class BrokenPromiseError(TokbenchError):
    """A plugin returned something that its interface does not allow."""


@dataclass(eq=False)
class CrashError(TokbenchError):
    """A child process ended while it called a `component`, or was ended at a `limit`.

    The component is empty where none was being called.
    """

    component: str
    how: str
    limit: str = ""

    @property
    def what(self) -> str:
        """How it ended, and which key of a config's `limits` says so."""
        return f"{self.how} (`limits`: {self.limit})" if self.limit else self.how

    def __str__(self) -> str:
        """Say what ended, and how."""
        return f"{self.component or 'its process'} {self.what}"


class UsageError(TokbenchError):
    """A wrong command line, config or name (exit code 2)."""

    exit_code = 2


class PluginError(TokbenchError):
    """A plugin or extra is missing, cannot be imported, or clashes with another (exit code 3)."""

    exit_code = 3


@dataclass(eq=False)
class ClashError(PluginError):
    """Two plugins offer the same name."""

    what: str
    advice: ClassVar = "remove one of them"

    def __str__(self) -> str:
        """Return the whole message."""
        return f"{self.what}: {self.advice}"


@dataclass(eq=False)
class MissingExtraError(PluginError):
    """A library that a component `needs` is not installed, or too old; `advice` is the command."""

    name: str
    needs: str
    advice: str

    def __str__(self) -> str:
        """Return the whole message."""
        return f"{self.name!r} needs {self.needs}: {self.advice}"


@dataclass(eq=False)
class BrokenPluginError(PluginError):
    """A name that no plugin offers, where a broken plugin may be why; the causes stand first."""

    causes: tuple[str, ...]
    missing: str

    def __str__(self) -> str:
        """Return the whole message."""
        return f"{'; '.join(self.causes)}; {self.missing}"


class InputError(TokbenchError):
    """A file that cannot be read, understood or written (exit code 4)."""

    exit_code = 4


@dataclass(eq=False)
class EncodingError(InputError):
    """A text that is not valid UTF-8; `what` leaves out the options that let it in."""

    what: str

    def __str__(self) -> str:
        """Return the whole message."""
        option = "set `errors` (of a command: --errors) to `replace` or `skip-line`"
        return f"{self.what}, or {option}"


class SizeError(UsageError):
    """A vocabulary of the size asked for does not exist, for example below its alphabet."""

    def __init__(self, message: str, minimum: int) -> None:
        super().__init__(message, minimum)
        self.message, self.minimum = message, minimum

    def __str__(self) -> str:
        """Return the message."""
        return self.message


def cropped(value: object) -> str:
    """Show any value on one line of a message, where words may have 10,000 characters."""
    shown = " ".join(line.strip() for line in repr(value).splitlines())
    return shown if len(shown) <= LONGEST_SHOWN else shown[:LONGEST_SHOWN] + "…"
