"""What a run is doing, on one line of a terminal."""

from types import TracebackType
from typing import Self

from tokbench.report.plain import printable


class Progress:
    """A status line on stderr; silent unless it is shown."""

    def __init__(self, shown: bool) -> None:
        self._status = None
        if shown:
            # Drawing costs a tenth of a second to load, which only a terminal needs.
            from rich.console import Console

            self._status = Console(stderr=True).status("starting")

    def __enter__(self) -> Self:
        """Show the line."""
        if self._status:
            self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take the line away."""
        if self._status:
            self._status.stop()

    def __call__(self, message: str) -> None:
        """Say what is being done."""
        if self._status:
            from rich.markup import escape

            self._status.update(escape(printable(message)))
