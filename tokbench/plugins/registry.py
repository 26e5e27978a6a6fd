"""All components on offer, as a value: there is no global state."""

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from packaging.version import Version

from tokbench.api import Component, Fact, Segmenter, Vocabulary
from tokbench.api.component import Use
from tokbench.api.output import Additions
from tokbench.errors import (
    BrokenPluginError,
    ClashError,
    MissingExtraError,
    PluginError,
    TokbenchError,
    UsageError,
    cropped,
)
from tokbench.failures import reported
from tokbench.issues import Issue, Location, attempt
from tokbench.plugins.calls import CallFile, printing_to_stderr, wrapped
from tokbench.plugins.declarations import at, check_built, check_methods, checked, has_type
from tokbench.plugins.importing import settings_kept
from tokbench.plugins.kinds import ADDING, FACTS, KINDS, PAGE, REPORT, Kind
from tokbench.printing import closest


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
            with settings_kept() if self.plugin.is_foreign else nullcontext():
                return self.imported()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever a plugin does on import, even sys.exit, costs only itself.
            broken = Broken(self.plugin, reported(error))
            missing = f"the {self.kind} {self.name!r} cannot be imported"
            raise BrokenPluginError((str(broken),), missing) from error

    def imported(self) -> type[Component]:
        """Import the class and check it; raises PluginError, and what the import raises."""
        offered = self.offered
        # A text costs a config that does not use the component no import.
        if isinstance(offered, str):
            offered = pkgutil.resolve_name(offered)
        try:
            component = checked(self.kind, self.name, offered)
            if self.plugin.is_foreign:
                check_methods(f"the {self.kind} {self.name!r}", component)
            return component
        except PluginError as error:
            raise PluginError(at(self.hook, str(error))) from None


@dataclass(frozen=True)
class Addition:
    """A hook by which a plugin adds to the views of a run."""

    plugin: Plugin
    hook: str
    call: Callable[..., list[Any]]

    def to(self, run: Any) -> Any:
        """Return what it adds to a run; raises PluginError, and what the plugin raises."""
        added = self.call(run=run)
        if len(added) != 1 or not has_type(added[0], ADDING[self.hook]):
            right = "a list of facts" if self.hook == FACTS else "a dict of texts by their titles"
            raise PluginError(f"it returned {cropped(*added or [None])}, expected {right}")
        return added[0]


@dataclass(frozen=True)
class Registry:
    """All components on offer, and the plugins that are broken.

    `is_installed` says that another process finds the same, so that it may do the work of some.
    With a file for `calls`, each component that is built writes there when it is called.
    """

    plugins: tuple[Plugin, ...] = ()
    offers: tuple[Offer, ...] = ()
    broken: tuple[Broken, ...] = ()
    additions: tuple[Addition, ...] = ()
    is_installed: bool = False
    calls: CallFile | None = None

    # Two offers of one name are an error only where the name is used.
    @cached_property
    def _index(self) -> Mapping[tuple[Kind, str], list[Offer]]:
        index: dict[tuple[Kind, str], list[Offer]] = {}
        for offer in self.offers:
            index.setdefault((offer.kind, offer.name), []).append(offer)
        return index

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

    def foreign(self, components: Iterable[Component | type[Component]]) -> frozenset[str]:
        """Return the packages of those components whose work is done in processes of their own.

        These are the plugins of others, and the wrapped libraries of tokbench's own.
        """
        if not self.is_installed:
            return frozenset()
        homes: dict[str, Plugin] = {}
        for offer in self.offers:
            module = offer.offered if isinstance(offer.offered, str) else offer.component.__module__
            homes.setdefault(_top(module), offer.plugin)
        packages = set()
        for component in components:
            kind = component if isinstance(component, type) else type(component)
            top = _top(kind.__module__)
            plugin = homes.get(top)
            if plugin is None:
                packages.update({top} - {"tokbench"})
            elif plugin.is_foreign or kind.requires is not None:
                packages.add(plugin.package)
        return frozenset(packages)

    @property
    def plugin_files(self) -> list[str]:
        """The plugins that are single files, by their paths."""
        return [plugin.package for plugin in self.plugins if plugin.is_file]

    def writing_calls(self, calls: CallFile) -> "Registry":
        """Return the same, whose components write into a file which of them is called."""
        return replace(self, calls=calls)

    def build(self, kind: Kind, use: Use, folder: Path | None = None) -> Component:
        """Build the component that a config in `folder` names, and check that its extra is there.

        Raises what `find` raises, `pydantic.ValidationError` for wrong options, and whatever a
        property raises that is needed later.
        """
        offer = self.find(kind, use.use)
        component = offer.component
        check_requirements(use.use, component)
        with settings_kept() if offer.plugin.is_foreign else nullcontext():
            built = component.configure(folder, **use.options)
            check_built(kind, use.use, built)
        if self.calls is not None:
            return self.calls.watched(built, f"{kind} {built.describe(use.use)}")
        if self.is_installed and offer.plugin.is_foreign:
            return wrapped(built, printing_to_stderr)
        return built

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

    def segmenter_of(self, vocabulary: Vocabulary) -> tuple[str, Segmenter]:
        """Build the segmenter that a vocabulary names; return it with its name.

        Raises what `build` raises, and ValidationError for a vocabulary that names none.
        """
        use = Use.model_validate(dict(vocabulary.segmenter))
        segmenter = self.build("segmenter", use)
        assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
        return use.use, segmenter

    def added(self, run: Any) -> tuple[Additions, list[Issue]]:
        """Return what plugins add to the views of a run; what fails costs only itself."""
        facts: list[Fact] = []
        issues: list[Issue] = []
        sections: dict[str, dict[str, str]] = {REPORT: {}, PAGE: {}}
        for addition in self.additions:
            where = Location(part=f"{addition.hook} of {addition.plugin.name}")
            made = attempt(where, partial(addition.to, run))
            issues += made.issues
            if made.value is not None and addition.hook == FACTS:
                facts += made.value
            elif made.value is not None:
                sections[addition.hook] |= made.value
        return Additions(tuple(facts), sections[REPORT], sections[PAGE]), issues

    def _unknown(self, kind: Kind, name: str) -> TokbenchError:
        names = self.names(kind)
        message = f"no plugin offers a {kind} {name!r}"
        for other in KINDS:
            if other != kind and (other, name) in self._index:
                package = self._index[other, name][0].plugin.package
                message += f"; {name!r} is a {other} (of {package})"
        if close := closest(name, names):
            package = self._index[kind, close][0].plugin.package
            message += f"; did you mean {close!r} (of {package})?"
        else:
            message += f"; there are: {', '.join(names)}" if names else ""
        return self.missing(message)

    def missing(self, message: str) -> TokbenchError:
        """Make an error of a name that no plugin offers; a broken plugin may be why."""
        if not self.broken:
            return UsageError(message)
        return BrokenPluginError(tuple(map(str, self.broken)), message)


def _top(module: str) -> str:
    """Return the package at the top of a module, which may be spelled with a class behind it."""
    return module.partition(":")[0].partition(".")[0]


def check_requirements(name: str, component: type[Component]) -> None:
    """Raise MissingExtraError if the extra that a component needs is missing, or too old."""
    if not component.requires:
        return
    for package, least in component.requires_version.items():
        try:
            installed = version(package)
        except PackageNotFoundError:
            installed = ""
        if not installed:
            raise MissingExtraError(name, package, f"pip install '{component.requires}'")
        if Version(installed).release < Version(least).release:
            needs = f"{package} {least} or newer, found {installed}"
            raise MissingExtraError(name, needs, f"pip install --upgrade '{component.requires}'")
