"""What needs a package that not everybody has: one message says which extra brings it."""

from collections.abc import Iterator
from contextlib import contextmanager

from tokbench.commands import PluginError


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """Raise PluginError where a package of an extra is missing."""
    try:
        yield
    except ImportError as error:
        install = f"pip install 'tokbench[{extra}]'"
        raise PluginError(f"{what} needs {error.name or error}: {install}") from None
