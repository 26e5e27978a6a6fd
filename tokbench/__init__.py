"""Compare tokenizers on your own text: same training text, same size, held-out test."""

from typing import TYPE_CHECKING, Any

__all__ = ["Run", "__version__", "load", "run"]

__version__ = "0.1.0"


if TYPE_CHECKING:
    from tokbench.notebook import NotebookRun as Run
    from tokbench.notebook import load, run
else:  # a type checker would believe that all names are here

    def __getattr__(name: str) -> Any:
        """Import `Run`, `load` and `run` when they are asked for: help need not wait for NumPy."""
        if name not in ("Run", "load", "run"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from tokbench import notebook

        return notebook.NotebookRun if name == "Run" else getattr(notebook, name)


def __dir__() -> list[str]:
    """List what is public, also what is imported on first use."""
    return __all__
