"""Components whose work is done in a worker: the same options and promises, other processes."""

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tokbench.api import (
    Analysis,
    Component,
    GoldReader,
    Learner,
    Metric,
    PairGenerator,
    Segmenter,
    Splitter,
    TextSegmenter,
    Vocabulary,
)
from tokbench.api.component import Use
from tokbench.plugins.declarations import FLAGS

if TYPE_CHECKING:
    from tokbench.plugins.registry import Offer
    from tokbench.workers.process import Worker

Isolation = Literal["foreign", "all", "none"]
"""The components whose work is done in workers: those of others and of wrapped libraries, all, or
none."""

SERVE = "tokbench.plugins.served:serve"

# What a worker does in place of the component, where the plugin itself defines it.
_METHODS: Mapping[type[Component], tuple[str, ...]] = {
    Analysis: ("rows",),
    GoldReader: ("read",),
    Learner: ("check_size", "learn", "learn_lines", "load", "trace"),
    Metric: ("count", "count_states", "compare", "measure", "rows", "score"),
    PairGenerator: ("change", "change_many"),
    Segmenter: (
        *("decode", "decode_many", "explain", "segment", "segment_lines", "segment_many"),
        "timeline",
    ),
    Splitter: ("split", "split_many"),
}
# What it does at any rate, since one by one would take a message each; and what that stands for.
_MANY = {"change_many": "change", "decode_many": "decode", "split_many": "split"}
_STATE = ("extra", "fields_set", "private")
_numbers = count()


class RemotePrepared:
    """What a segmenter prepared for a vocabulary in its worker."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.number = next(_numbers)


class Remote:
    """A component in a worker: how it is built there, and called."""

    def __init__(self, offer: "Offer", use: Use, folder: Path | None, worker: "Worker") -> None:
        self.worker, self.kind, self.name = worker, offer.kind, use.use
        self._number = next(_numbers)
        self._offer = offer
        self._use = use
        self._folder = folder

    def call(self, method: str, *given: Any, **named: Any) -> Any:
        """Call a method; raises what `Worker.run` raises."""
        from tokbench.workers.process import Call

        prepared = [one for one in given if isinstance(one, RemotePrepared)]
        numbers = [one.number for one in prepared]
        given = tuple(one for one in given if not isinstance(one, RemotePrepared))
        calls = [self._build, *map(self._prepare, prepared)]
        calls.append(Call("call", (self._number, method, numbers, given, named)))
        return self.worker.run(calls)

    def build(self) -> None:
        """Build it in the worker; raises what that raises."""
        self.worker.run([self._build])

    @property
    def _build(self) -> Any:
        from tokbench.workers.process import Call

        offer, use = self._offer, self._use
        plugin = (offer.plugin.name, offer.plugin.package, offer.plugin.is_file)
        folder = None if self._folder is None else str(self._folder)
        given = (self._number, plugin, offer.kind, use.use, use.options, folder)
        return Call("build", given, key=self._number)

    def _prepare(self, prepared: RemotePrepared) -> Any:
        from tokbench.workers.process import Call

        given = (self._number, prepared.number, prepared.vocabulary)
        return Call("prepare", given, key=prepared.number)

    def prepare(self, vocabulary: Vocabulary) -> RemotePrepared:
        """Prepare a vocabulary in the worker; raises what the segmenter raises."""
        prepared = RemotePrepared(vocabulary)
        self.worker.run([self._build, self._prepare(prepared)])
        return prepared


def is_isolated(offer: "Offer", isolation: Isolation | None) -> bool:
    """Return whether the work of a component is done in a worker."""
    if isolation in (None, "none") or not issubclass(offer.component, tuple(_METHODS)):
        return False
    if isolation == "all":
        # The core's own splitters are no plugin's: where they cut is known without asking them.
        return not offer.component.__module__.startswith("tokbench.")
    return offer.plugin.is_foreign or offer.component.requires is not None


def guarded(built: Component, remote: Remote) -> Component:
    """Return a component of the same class and options whose work is done in a worker."""
    kind = type(built)
    methods = {name: _called(remote, name) for name in _remote_methods(kind)}
    if issubclass(kind, Learner) and "learn_lines" in methods:
        methods["learn_lines"] = _learn_lines(remote)
    if issubclass(kind, Segmenter):
        methods["prepare"] = lambda self, vocabulary: remote.prepare(vocabulary)
    # A property may do harm whenever it is read, so it is read now, and not again.
    names = (*FLAGS.get(remote.kind, ()), "files")
    known = {name: _fixed(getattr(built, name)) for name in names}
    described = built.describe(remote.name)
    methods["describe"] = lambda self, name: described
    body = {"__module__": kind.__module__, "__doc__": kind.__doc__, **known, **methods}
    # A subclass is what it is a subclass of to all who ask: a metric of lines, a text segmenter.
    derive: Callable[..., Any] = type(kind)
    derived = derive(kind.__name__, (kind,), body)
    found: Component = derived.__new__(derived)  # no code of the plugin's runs again
    for attribute in ("__dict__", *(f"__pydantic_{name}__" for name in _STATE)):
        object.__setattr__(found, attribute, getattr(built, attribute))
    return found


def _remote_methods(kind: type[Component]) -> Iterable[str]:
    """Return the methods that a worker does: those that the plugin defines, and those of many."""
    names = next(names for base, names in _METHODS.items() if issubclass(kind, base))
    own = [name for name in names if _is_own(kind, name)]
    own += [many for many, one in _MANY.items() if one in own]
    if issubclass(kind, Segmenter) and not issubclass(kind, TextSegmenter):
        own.append("segment_many")
    return dict.fromkeys(own)


def _is_own(kind: type[Component], name: str) -> bool:
    """Return whether a plugin's class defines a method, or one of ours of which it inherits."""
    home = next((one for one in kind.__mro__ if name in vars(one)), None)
    return home is not None and not home.__module__.startswith("tokbench.api")


def _fixed(value: Any) -> property:
    return property(lambda self: value)


def _called(remote: Remote, name: str) -> Callable[..., Any]:
    def method(self: Component, *given: Any, **named: Any) -> Any:
        return remote.call(name, *map(_listed, given), **named)

    return method


def _learn_lines(remote: Remote) -> Callable[..., Any]:
    def learn_lines(self: Learner, lines: Iterable[str], size: Any) -> Any:
        from tokbench.workers.parcel import SentLines

        return remote.call("learn_lines", SentLines(lines), size)

    return learn_lines


def _listed(value: Any) -> Any:
    """Return what can only be gone through once as a list."""
    return [*value] if hasattr(value, "__next__") else value
