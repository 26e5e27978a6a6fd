"""Components whose work is done in a worker: the same options and promises, other processes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    """A component in a worker: how it is built there, and called.

    `digests` are those of its files here, which must be the same there.
    """

    def __init__(self, offer: "Offer", use: Use, folder: Path | None, worker: "Worker") -> None:
        self.worker, self.kind, self.name = worker, offer.kind, use.use
        self._number = next(_numbers)
        plugin = (offer.plugin.name, offer.plugin.package, offer.plugin.is_file)
        place = None if folder is None else str(folder)
        self._built_from = (self._number, plugin, offer.kind, use.use, use.options, place)
        self.digests: Sequence[str] = ()

    def build(self) -> None:
        """Build it in the worker; raises what `Worker.run` raises, as the others do."""
        self._run()

    def prepare(self, vocabulary: Vocabulary) -> RemotePrepared:
        """Prepare a vocabulary in the worker."""
        prepared = RemotePrepared(vocabulary)
        self._run([prepared])
        return prepared

    def call(self, method: str, *given: Any, **named: Any) -> Any:
        """Call a method."""
        prepared = [one for one in given if isinstance(one, RemotePrepared)]
        numbers = [one.number for one in prepared]
        others = tuple(one for one in given if not isinstance(one, RemotePrepared))
        return self._run(prepared, ("call", (self._number, method, numbers, others, named)))

    def _run(self, prepared: Sequence[RemotePrepared] = (), *calls: tuple[str, Any]) -> Any:
        """Build and prepare what this process has not yet, then make calls."""
        from tokbench.workers.process import Call

        made = [Call("build", self._built_from, key=self._number)]
        if self.digests:
            key = "files", self._number
            made.append(Call("check_files", (self._number, self.digests), key=key))
        for one in prepared:
            made.append(Call("prepare", (self._number, one.number, one.vocabulary), key=one.number))
        return self.worker.run([*made, *(Call(*call) for call in calls)])


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
    values = {name: getattr(built, name) for name in names}
    known = {name: _fixed(value) for name, value in values.items()}
    remote.digests = [file.digest for file in values["files"]]
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
