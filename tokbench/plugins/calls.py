"""Which component a child process is calling, and since when: its parent reads it from a file."""

import mmap
import struct
from collections.abc import Callable, Iterator
from functools import wraps
from inspect import isfunction
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from tokbench.api import Component
from tokbench.errors import TokbenchError
from tokbench.failures import described, stdout_to_stderr

BEGIN = struct.Struct("d")
"""The clock at which a call began, 0 outside of any: written at once, so that it is never torn."""
LABEL_BYTES = 500
STATE = ("extra", "fields_set", "private")
SPEED = "speed"
"""The measuring of the speed of cutting: what it calls is called for nothing else."""
OPTIONAL = ("metric ", "analysis ", SPEED)
"""What a system can be run without; a message about one always has its name."""

ComponentT = TypeVar("ComponentT", bound=Component)


class Call(NamedTuple):
    """The component that is being called, and when that began, by the clock of `monotonic`.

    Outside of any call both are empty.
    """

    component: str = ""
    begin: float = 0.0


def label_of(component: str) -> str:
    """Return the text by which a component is named between processes; long ones are cut."""
    return component.encode("utf-8", "replace")[:LABEL_BYTES].decode("utf-8", "ignore")


class CallFile:
    """A file in which a process writes what it calls, so that another can read it at any time."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), BEGIN.size + LABEL_BYTES)
        self._is_inside = False

    @staticmethod
    def make(path: Path) -> "CallFile":
        """Make the file of a process that calls nothing yet."""
        path.write_bytes(bytes(BEGIN.size + LABEL_BYTES))
        return CallFile(path)

    def read(self) -> Call:
        """Return the call that has not come back."""
        (begin,) = BEGIN.unpack_from(self._map)
        label = self._map[BEGIN.size :].rstrip(b"\0").decode("utf-8", "replace")
        # The label is written only outside of calls, so it belongs to what began then.
        if not begin or BEGIN.unpack_from(self._map) != (begin,):
            return Call()
        return Call(label, begin)

    def watched(self, built: ComponentT, component: str) -> ComponentT:
        """Return a component of the same class and options, whose calls are written here."""
        return wrapped(built, lambda method: self.named(component, method))

    def named(self, component: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose calls are written here as those of a component.

        What it calls in turn belongs to it.
        """
        label = label_of(component).encode().ljust(LABEL_BYTES, b"\0")

        @wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            if self._is_inside:
                return method(*arguments, **options)
            self._is_inside = True
            self._map[BEGIN.size :] = label
            BEGIN.pack_into(self._map, 0, monotonic())
            try:
                answer = method(*arguments, **options)
                # What comes one by one is taken here, while the component is named.
                return [*answer] if hasattr(answer, "__next__") else answer
            except MemoryError as error:
                who = "" if component.startswith(OPTIONAL) else f"{component}: "
                raise TokbenchError(f"{who}MemoryError (`limits`: memory)") from error
            except KeyboardInterrupt as error:  # a plugin's own: Ctrl-C is for the parent
                raise TokbenchError(described(error)) from error
            finally:
                BEGIN.pack_into(self._map, 0, 0.0)
                self._is_inside = False

        return call


def wrapped(
    built: ComponentT, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> ComponentT:
    """Return a component of the same class and options, whose own methods are wrapped."""
    kind = type(built)
    body: dict[str, Any] = {"__module__": kind.__module__, "__doc__": kind.__doc__}
    body |= {name: wrap(getattr(kind, name)) for name in _own_methods(kind)}
    # A subclass, since code asks for the class: is it a metric of lines, a text segmenter?
    derive: Callable[..., Any] = type(kind)
    derived: ComponentT = object.__new__(derive(kind.__name__, (kind,), body))
    for attribute in ("__dict__", *(f"__pydantic_{state}__" for state in STATE)):
        object.__setattr__(derived, attribute, getattr(built, attribute))
    return derived


def printing_to_stderr(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that prints to stderr, since stdout is for data."""

    @wraps(method)
    def call(*arguments: Any, **options: Any) -> Any:
        with stdout_to_stderr():
            answer = method(*arguments, **options)
            return [*answer] if hasattr(answer, "__next__") else answer

    return call


def _own_methods(kind: type[Component]) -> Iterator[str]:
    """Yield the methods of our interfaces that a class of a plugin defines or inherits."""
    ours = [base for base in kind.__mro__ if base.__module__.startswith("tokbench.api")]
    declared = {name for base in ours for name, value in vars(base).items() if isfunction(value)}
    for name in declared:
        home = next(base for base in kind.__mro__ if name in vars(base))
        if home not in ours and not name.startswith("_"):
            yield name
