"""All components on offer, as a value: there is no global state."""

import importlib.util
import os
import pkgutil
import re
import sys
from collections.abc import Iterator
from contextlib import (
    ExitStack,
    chdir,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from tokbench.api import Component, Segmenter, Vocabulary
from tokbench.api.component import Use
from tokbench.errors import (
    BrokenPluginError,
    ClashError,
    DeadWorkerError,
    MissingExtraError,
    PluginError,
    TokbenchError,
    UsageError,
)
from tokbench.failures import reported
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins.declarations import at, check_built, checked
from tokbench.plugins.kinds import KINDS, Kind
from tokbench.plugins.remote import SERVE, Isolation, Remote, guarded, is_isolated
from tokbench.workers.limits import Limits

if TYPE_CHECKING:
    from tokbench.workers.process import Worker


@dataclass(frozen=True)
class Plugin:
    """Where components come from: an installed package's entry point, or a file."""

    name: str
    package: str
    version: str
    is_file: bool = False

    @property
    def is_foreign(self) -> bool:
        """Whether it is another's, not a package that comes with tokbench."""
        return self.is_file or self.package != "tokbench"


@dataclass(frozen=True)
class Broken:
    """A plugin that could not be used, and why."""

    plugin: Plugin
    reason: str

    def __str__(self) -> str:
        """Name the plugin, then the reason."""
        return f"plugin {self.plugin.name} is broken: {self.reason}"


@dataclass(frozen=True)
class Offer:
    """One component that a plugin offers: a class, or the text `package.module:Class`.

    `hook` is the file and line of the hook that offers it.
    """

    kind: Kind
    name: str
    offered: object
    plugin: Plugin
    hook: str = ""

    @cached_property
    def component(self) -> type[Component]:
        """The class, imported when it is first asked for; raises BrokenPluginError."""
        try:
            with staying_here(silent=self.plugin.is_foreign):
                return self.imported()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever a plugin does on import, even sys.exit, costs only itself.
            broken = Broken(self.plugin, reported(error))
            missing = f"the {self.kind} {self.name!r} cannot be imported"
            raise BrokenPluginError([str(broken)], missing) from error

    def imported(self) -> type[Component]:
        """Import the class and check it; raises PluginError, and what the import raises."""
        named = isinstance(self.offered, str)
        found = pkgutil.resolve_name(str(self.offered)) if named else self.offered
        try:
            return checked(self.kind, self.name, found)
        except PluginError as error:
            raise PluginError(at(self.hook, str(error))) from None


@dataclass(frozen=True)
class Registry:
    """All components on offer, and the plugins that are broken.

    Those that `isolation` names do their work in workers, each within the `limits`; without it all
    work is done in this process.
    """

    plugins: tuple[Plugin, ...] = ()
    offers: tuple[Offer, ...] = ()
    broken: tuple[Broken, ...] = ()
    isolation: Isolation | None = None
    limits: Limits = field(default_factory=Limits)
    _index: dict[tuple[Kind, str], list[Offer]] = field(default_factory=dict, repr=False)
    _workers: "dict[tuple[str, Limits], Worker]" = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Index the offers by kind and name."""
        for offer in () if self._index else self.offers:
            self._index.setdefault((offer.kind, offer.name), []).append(offer)

    def names(self, kind: Kind) -> list[str]:
        """Return the names of all components of a kind, sorted."""
        return sorted(name for offered, name in self._index if offered == kind)

    def find(self, kind: Kind, name: str) -> Offer:
        """Return the one offer of that name.

        Raises ClashError for two offers, BrokenPluginError for an unknown name while a plugin is
        broken (exit code 3); UsageError (exit code 2) for an unknown name otherwise.
        """
        offers = self._index.get((kind, name), [])
        if len(offers) == 1:
            return offers[0]
        if offers:
            both = " and ".join(f"{o.plugin.name} ({o.plugin.package})" for o in offers)
            raise ClashError(f"the {kind} {name!r} is offered by {both}")
        raise self._unknown(kind, name)

    def isolated(self, isolation: Isolation, limits: Limits) -> "Registry":
        """Return the same with another isolation, if this one has any."""
        if self.isolation is None:
            return self
        return replace(self, isolation=isolation, limits=limits)

    def worker(self, name: str) -> "Worker":
        """Return the worker of a name, such as that of a system."""
        from tokbench.workers.process import Worker

        key = name, self.limits
        if key not in self._workers:
            self._workers[key] = Worker(name, SERVE, self.limits)
        return self._workers[key]

    def end_workers(self, name: str | None = None) -> None:
        """End the processes of all workers, or of that of a name; a later call starts another."""
        for (called, _), worker in self._workers.items():
            if name in (None, called):
                worker.end()

    def build(
        self, kind: Kind, use: Use, folder: Path | None = None, worker: str | None = None
    ) -> Component:
        """Build the component that a config in `folder` names, and check that its extra is there.

        One that is isolated does its work in the `worker` of that name. Raises what `find` raises,
        `pydantic.ValidationError` for wrong options, and whatever a property raises that is needed
        later.
        """
        offer = self.find(kind, use.use)
        component = offer.component
        check_requirements(use.use, component)
        remote = None
        if is_isolated(offer, self.isolation):
            remote = Remote(offer, use, folder, self.worker(worker or f"{kind} {use.use}"))
        if remote is not None and offer.plugin.is_foreign:
            _survived(f"the {kind} {use.use!r} cannot be built", remote)
        with staying_here(silent=offer.plugin.is_foreign and self.isolation is not None):
            built = component.configure(folder, **use.options)
            check_built(kind, use.use, built)
            return built if remote is None else guarded(built, remote)

    def build_all(self, kind: Kind) -> tuple[dict[str, Component], list[Issue]]:
        """Build all components of a kind with their defaults; what fails costs only itself."""
        built: dict[str, Component] = {}
        issues: list[Issue] = []
        for name in self.names(kind):
            made = attempt(
                Location(part=f"{kind} {name}"), partial(self.build, kind, Use(use=name))
            )
            issues += made.issues
            if made.value is not None:
                built[name] = made.value
        return built, issues

    def segmenter_of(
        self, vocabulary: Vocabulary, worker: str | None = None
    ) -> tuple[str, Segmenter]:
        """Build the segmenter that a vocabulary names; return it with its name.

        Raises what `build` raises, and ValidationError for a vocabulary that names none.
        """
        use = Use.model_validate(dict(vocabulary.segmenter))
        segmenter = self.build("segmenter", use, worker=worker)
        assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
        return use.use, segmenter

    def _unknown(self, kind: Kind, name: str) -> TokbenchError:
        known = self.names(kind)
        message = f"no plugin offers a {kind} {name!r}"
        for other in KINDS:
            if other != kind and (other, name) in self._index:
                package = self._index[other, name][0].plugin.package
                message += f"; {name!r} is a {other} (of {package})"
        close = get_close_matches(name, known, n=1)
        if close:
            package = self._index[kind, close[0]][0].plugin.package
            message += f"; did you mean {close[0]!r} (of {package})?"
        else:
            message += f"; there are: {', '.join(known)}" if known else ""
        return self.missing(message)

    def missing(self, message: str) -> TokbenchError:
        """Make an error of a name that no plugin offers; a broken plugin may be why."""
        if not self.broken:
            return UsageError(message)
        return BrokenPluginError([str(broken) for broken in self.broken], message)


def _survived(what: str, remote: Remote) -> None:
    """Raise PluginError if a component cannot be built without harm to its process."""
    try:
        remote.build()
    except DeadWorkerError as error:
        raise PluginError(f"{what}: {error}") from None
    except TokbenchError:
        return  # which is raised here too


def check_requirements(name: str, component: type[Component]) -> None:
    """Raise MissingExtraError if the extra that a component needs is missing, or too old."""
    if not component.requires:
        return
    missing = [m for m in component.requires_modules if importlib.util.find_spec(m) is None]
    if missing:
        install = f"pip install '{component.requires}'"
        raise MissingExtraError(name, ", ".join(missing), install)
    for package, least in component.requires_version.items():
        try:
            found = version(package)
        except PackageNotFoundError:
            found = ""
        if older(found, least):
            needs = f"{package} {least} or newer, found {found or 'none'}"
            raise MissingExtraError(name, needs, f"pip install --upgrade '{component.requires}'")


def older(found: str, least: str) -> bool:
    """Return whether a version is below another, by the numbers that both begin with.

    >>> older("0.9.1", "0.10"), older("0.10.0rc1", "0.10")
    (True, False)
    """

    def numbers(text: str) -> list[int]:
        release = re.match(r"[0-9]+(\.[0-9]+)*", text)
        return [int(part) for part in release[0].split(".")] if release else []

    return numbers(found) < numbers(least)


@contextmanager
def staying_here(silent: bool = False) -> Iterator[None]:
    """Come back to the current folder, from which paths are given, where a plugin leaves it.

    The mask for new files and the limit of recursion are as before, too.

    With `silent`, what it prints is thrown away: a worker has done the same before, and shows it.
    """
    try:
        here = Path.cwd()
    except OSError:  # the folder was removed, so no path is given from it
        here = None
    mask, depth = os.umask(0o077), sys.getrecursionlimit()
    os.umask(mask)
    try:
        with chdir(here) if here else nullcontext(), _silence() if silent else nullcontext():
            yield
    finally:
        os.umask(mask)
        sys.setrecursionlimit(depth)


@contextmanager
def _silence() -> Iterator[None]:
    """Keep both streams from whatever writes to them, by Python or past it."""
    with ExitStack() as back:
        nothing = back.enter_context(open(os.devnull, "w"))
        for number, stream in ((1, sys.__stdout__), (2, sys.__stderr__)):
            with suppress(OSError):  # a program may have closed them
                kept = os.dup(number)
                back.callback(os.close, kept)
                back.callback(os.dup2, kept, number)
                os.dup2(nothing.fileno(), number)
            if stream is not None:
                back.callback(stream.flush)
        with redirect_stdout(nothing), redirect_stderr(nothing):
            yield
