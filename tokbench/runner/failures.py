"""What failed during a run: whatever a plugin does costs only what it was asked for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tokbench.errors import SizeError, TokbenchError


@dataclass(eq=False)
class Failures:
    """The failures and notes of a run, each once, in the order in which they came up."""

    failures: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    @contextmanager
    def guard(self, where: str) -> Iterator[None]:
        """Turn anything raised inside, even SystemExit, into a failure of `where`.

        A SizeError is a note, since nothing failed; Ctrl-C passes.
        """
        try:
            yield
        except KeyboardInterrupt:
            raise
        except SizeError as error:
            self.note(f"{where}: left out: {error}")
        except TokbenchError as error:
            self.failures[f"{where}: {error}"] = None
        except BaseException as error:  # libraries raise their own below BaseException
            # Messages of libraries may have many lines; a failure has one.
            raised = " ".join(f"{type(error).__name__}: {error}".split())
            self.failures[f"{where}: {raised}".rstrip(": ")] = None

    def note(self, text: str) -> None:
        """Add a note that the report shows."""
        self.notes[text] = None
