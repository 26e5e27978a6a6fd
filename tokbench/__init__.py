"""Compare tokenizers on your own text: same training text, same size, held-out test."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokbench.run_folder import Run

__all__ = ["Run", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import `Run` when it is asked for: it needs NumPy, which help and version need not pay."""
    if name != "Run":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tokbench.run_folder import Run

    return Run
