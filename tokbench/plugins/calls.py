"""Which component a child process is calling, and since when: its parent reads it from a file."""

import mmap
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from functools import wraps
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from tokbench.api import (
    Analysis,
    Component,
    GoldReader,
    Learner,
    Metric,
    PairGenerator,
    Segmenter,
    Splitter,
)
from tokbench.errors import TokbenchError
from tokbench.failures import described

LAYOUT = struct.Struct("<d500s")
NAMED_ANYWAY = ("metric ", "analysis ")
"""Components that every message about them names."""
STATE = ("extra", "fields_set", "private")

METHODS: Mapping[type[Component], tuple[str, ...]] = {
    Analysis: ("rows",),
    GoldReader: ("read",),
    Learner: ("check_size", "learn", "learn_lines", "load", "trace"),
    Metric: ("count", "count_states", "compare", "measure", "rows", "score"),
    PairGenerator: ("change", "change_many"),
    Segmenter: (
        *("prepare", "segment", "segment_lines", "segment_many", "timeline"),
        *("decode", "decode_many", "explain"),
    ),
    Splitter: ("split", "split_many"),
}
"""The methods that do the work of a component."""

ComponentT = TypeVar("ComponentT", bound=Component)


class Call(NamedTuple):
    """The component that is being called, and when that began, by the clock of `monotonic`.

    Outside of any call both are empty.
    """

    component: str
    begin: float


class CallFile:
    """A file in which a process writes what it calls, so that another can read it at any time."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), LAYOUT.size)

    @staticmethod
    def make(path: Path) -> "CallFile":
        """Make the file of a process that calls nothing yet."""
        path.write_bytes(bytes(LAYOUT.size))
        return CallFile(path)

    def read(self) -> Call:
        """Return the call that has not come back."""
        begin, component = LAYOUT.unpack(self._map[:])
        return Call(component.rstrip(b"\0").decode("utf-8", "replace"), begin)

    def watched(self, built: ComponentT, component: str) -> ComponentT:
        """Return a component of the same class and options, whose calls are written here."""
        return wrapped(built, lambda method: self.named(component, method))

    def named(self, component: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose calls are written here as those of a component."""
        label = component.encode()[:500]

        @wraps(method)
        def call(*given: Any, **named: Any) -> Any:
            before = self._map[:]
            self._map[:] = LAYOUT.pack(monotonic(), label)
            try:
                answer = method(*given, **named)
                # What comes one by one is taken here, while the component is named.
                return [*answer] if hasattr(answer, "__next__") else answer
            except MemoryError as error:
                who = "" if component.startswith(NAMED_ANYWAY) else f"{component}: "
                raise TokbenchError(f"{who}MemoryError (`limits`: memory)") from error
            except KeyboardInterrupt as error:  # a plugin's own: Ctrl-C is for the parent
                raise TokbenchError(described(error)) from error
            finally:
                self._map[:] = before

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
    def call(*given: Any, **named: Any) -> Any:
        with redirect_stdout(sys.stderr):
            answer = method(*given, **named)
            return [*answer] if hasattr(answer, "__next__") else answer

    return call


def _own_methods(kind: type[Component]) -> Iterable[str]:
    """Return the methods that a plugin's class defines, or one of ours of which it inherits."""
    names = next((names for base, names in METHODS.items() if issubclass(kind, base)), ())
    for name in (*names, "describe"):
        home = next((base for base in kind.__mro__ if name in vars(base)), None)
        if home is not None and not home.__module__.startswith("tokbench.api"):
            yield name
