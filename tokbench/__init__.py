"""Compare tokenizers on your own text: same training text, same size, held-out test."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokbench.notebook import NotebookRun as Run
    from tokbench.notebook import run

__all__ = ["Run", "__version__", "run"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import `Run` and `run` when they are asked for: they need NumPy, which help need not pay."""
    if name not in ("Run", "run"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tokbench import notebook

    return notebook.run if name == "run" else notebook.NotebookRun
