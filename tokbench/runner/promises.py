"""What a plugin is told when it gave something that its interface does not allow."""

from tokbench.errors import TokbenchError

LONGEST_SHOWN = 200


class BrokenPromiseError(TokbenchError):
    """A plugin gave something that its interface does not allow."""


def cropped(value: object) -> str:
    """Show any value in a message, where words may have 10,000 characters."""
    shown = repr(value)
    return shown if len(shown) <= LONGEST_SHOWN else shown[:LONGEST_SHOWN] + "…"
