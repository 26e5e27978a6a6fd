"""What failed during a run: whatever a plugin does costs only what it was asked for."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field

from tokbench.errors import SizeError, TokbenchError
from tokbench.failures import described, reported


@contextmanager
def stranger(where: str) -> Iterator[None]:
    """Turn whatever a stranger's code raises, even SystemExit, into a TokbenchError of `where`.

    Errors of ours, Ctrl-C and a lack of memory pass. What the code prints goes to stderr, since
    stdout is for data.
    """
    try:
        with redirect_stdout(sys.stderr):
            yield
    except (KeyboardInterrupt, MemoryError, TokbenchError):
        raise
    except BaseException as error:
        raise TokbenchError(f"{where}: {described(error)}") from error


@dataclass(eq=False)
class Failures:
    """The failures and notes of a run, in the order in which they came up.

    A failure that comes up again elsewhere, as that of a metric does with every system, is counted
    with the first.
    """

    places: dict[str, list[str]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    @contextmanager
    def guard(self, where: str, place: str = "") -> Iterator[None]:
        """Turn anything raised inside, even SystemExit, into a failure of `where` at a `place`.

        A SizeError is a note, since nothing failed; Ctrl-C passes. What is printed inside goes to
        stderr, since stdout is for data.
        """
        try:
            with redirect_stdout(sys.stderr):
                yield
        except KeyboardInterrupt:
            raise
        except SizeError as error:
            self.note(f"{where}: left out: {error}")
        except BaseException as error:
            self.places.setdefault(f"{where}: {reported(error)}", []).append(place)

    def note(self, text: str) -> None:
        """Add a note that the report shows."""
        self.notes[text] = None

    @property
    def failures(self) -> list[str]:
        """Give each failure with its first place, and how many more there were."""
        told = []
        for failure, (first, *more) in self.places.items():
            again = f", and {len(more)} more times" if more else ""
            told.append(f"{failure} ({first}{again})" if first else failure)
        return told
