"""Find and load plugins: installed packages by their entry points, and files."""

import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, entry_points, packages_distributions
from pathlib import Path
from types import ModuleType

import pluggy
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from tokbench import __version__, hookspecs
from tokbench.errors import PluginError
from tokbench.failures import place_of, reported
from tokbench.plugins.declarations import at
from tokbench.plugins.importing import no_hidden_modules, settings_kept
from tokbench.plugins.kinds import ADDING, KINDS, Kind, hook_of
from tokbench.plugins.registry import Addition, Broken, Offer, Plugin, Registry
from tokbench.printing import closest

GROUP, COMMANDS = "tokbench", "tokbench.commands"
DISABLED = "TOKBENCH_DISABLE_PLUGINS"
"""The environment variable with the names of installed plugins, with commas, that are left out."""

Origin = EntryPoint | Path


def load(
    files: Sequence[Path] = (),
    lazy: bool = False,
    crash_of: Callable[[Plugin], str] = lambda plugin: "",
) -> Registry:
    """Load every installed plugin and the given plugin files; a broken one costs only itself.

    With `lazy`, a class that a hook names by a text is imported when it is asked for. `crash_of`
    says of a plugin of others how its import would end this process; nothing where it would not.
    """
    plugins: list[Plugin] = []
    offers: list[Offer] = []
    added: list[Addition] = []
    broken: list[Broken] = []
    for plugin, source in sorted(_sources(files), key=lambda pair: (pair[0].name, pair[0].package)):
        read = _read if plugin.is_file else _read_once
        try:
            if plugin.is_foreign and (crash := crash_of(plugin)):
                raise PluginError(crash)
            offered, additions = read(plugin, source, lazy)
            plugins.append(plugin)
            offers += offered
            added += additions
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever a plugin does on import, even sys.exit, costs only itself.
            broken.append(Broken(plugin, reported(error)))
    return Registry(tuple(plugins), tuple(offers), tuple(broken), tuple(added), is_installed=True)


def _read(plugin: Plugin, source: Origin, lazy: bool) -> tuple[Sequence[Offer], Sequence[Addition]]:
    """Import a plugin and return what it offers and adds; raises whatever is wrong with it."""
    if isinstance(source, EntryPoint) and source.group != GROUP:
        raise PluginError(f"its entry points are in the group `{source.group}`: write `{GROUP}`")
    folder = source.absolute().parent if isinstance(source, Path) else None
    with settings_kept() if plugin.is_foreign else nullcontext(), no_hidden_modules(folder):
        # Before the import, where a name that this version lacks would fail first.
        if plugin.is_foreign and isinstance(source, EntryPoint) and source.dist:
            _check_made_for_this_version(source.dist)
        module = _load_file(source) if isinstance(source, Path) else source.load()
        offers, additions = _offers(plugin, module)
        for offer in offers:
            if not (lazy and isinstance(offer.offered, str)):
                offer.imported()
    return offers, additions


_read_once = cache(_read)
"""The same for an installed plugin, which stays as it is; one that is broken is read again."""


def import_again(name: str, package: str) -> None:
    """Import a plugin in another process than the one that found it; a file is its own package."""
    file = Path(package)
    for plugin, source in _sources([file] if file.is_file() else []):
        if (plugin.name, plugin.package) == (name, package):
            _read(plugin, source, lazy=False)


def heavy_imports(job: Mapping[str, str], here: object) -> list[str]:
    """Return the packages that importing a plugin, and what it names, loads from other packages.

    A plugin may load everything that tokbench.api loads, `regex`, modules of no installed package
    (the standard library, modules next to a plugin file), and packages with a tokbench plugin.

    The conformance kit runs this in a fresh process; it is not part of the kit, which loads NumPy.
    """
    for module in ("tokbench.api", "pydantic", "regex"):
        import_module(module)
    before = _packages()
    import_again(job["name"], job["package"])
    owners = packages_distributions()
    allowed = {"tokbench", *(entry.dist.name for entry in entry_points(group=GROUP) if entry.dist)}
    new = sorted(_packages() - before)
    return [package for package in new if package in owners and not allowed & set(owners[package])]


def _packages() -> set[str]:
    """Return the packages that are loaded, of which more modules may be loaded later."""
    return {name.partition(".")[0] for name in sys.modules}


def _sources(files: Sequence[Path]) -> list[tuple[Plugin, Origin]]:
    """Return all plugins, and where they are loaded from."""
    disabled = {name.strip() for name in os.environ.get(DISABLED, "").split(",")}
    described = cache(_described)  # many entry points are of one distribution
    every = entry_points()
    # A group that is misspelled, such as `tokbench.plugins`, is read so that it can be named.
    alike = {group for group in every.groups if group.startswith(GROUP)} - {COMMANDS}
    installed: list[tuple[Plugin, Origin]] = [
        (Plugin(entry.name, *(described(entry.dist) if entry.dist else (entry.value, ""))), entry)
        for group in sorted(alike)
        for entry in every.select(group=group)
        if entry.name not in disabled
    ]
    loose = [(Plugin(path.name, path.as_posix(), "", is_file=True), path) for path in files]
    return [*installed, *loose]


def _described(package: Distribution) -> tuple[str, str]:
    """Return the name and version of a distribution, whose file of metadata is read once."""
    metadata = package.metadata
    return metadata["Name"], metadata["Version"]


def _check_made_for_this_version(package: Distribution) -> None:
    """Raise PluginError if a package's dependency on tokbench excludes the installed version.

    Installing checks this too, but either package may have been replaced alone since.
    """
    for requirement in map(Requirement, package.requires or ()):
        wanted = requirement.specifier if requirement.name == "tokbench" else SpecifierSet()
        if not wanted.contains(__version__, prereleases=True):
            raise PluginError(
                f"{package.name} {package.version} needs tokbench{wanted}, but {__version__} is "
                f"installed: `pip install -U {package.name} tokbench` installs versions that fit"
            )


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PluginError(f"{path}: no such plugin file")
    name = f"tokbench_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    # pydantic resolves annotations through sys.modules, so the module must stand there first.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _offers(plugin: Plugin, module: object) -> tuple[Sequence[Offer], Sequence[Addition]]:
    """Read one plugin's hooks and check what they give; those that need a run are called later."""
    manager = pluggy.PluginManager("tokbench")
    manager.add_hookspecs(hookspecs)
    _check_hooks(manager, module)
    manager.register(module, plugin.name)
    offers = [offer for kind in KINDS for offer in _offered(plugin, kind, manager, module)]
    added = [hook for hook in ADDING if getattr(manager.hook, hook).get_hookimpls()]
    if not (offers or added):
        raise PluginError(
            "it offers nothing: expected a function with @hookimpl that returns a component"
        )
    return offers, [Addition(plugin, hook, getattr(manager.hook, hook)) for hook in added]


def _check_hooks(manager: pluggy.PluginManager, module: object) -> None:
    """Check that each marked function is a hook, and each function called like a hook is marked."""
    hooks = [*map(hook_of, KINDS), *ADDING]
    for attribute in dir(module):
        function = getattr(module, attribute, None)
        options = manager.parse_hookimpl_opts(module, attribute)
        if options is None:
            if attribute in hooks and callable(function):
                what = f"{attribute} is no hook: write @hookimpl above it"
                raise PluginError(at(place_of(function), what))
            continue
        name = options.get("specname") or attribute
        if name not in hooks:
            close = closest(name, hooks)
            hint = f"did you mean {close}?" if close else f"there are: {', '.join(hooks)}"
            raise PluginError(at(place_of(function), f"unknown hook {name}; {hint}"))
        parameters = inspect.signature(function).parameters if callable(function) else {}
        arguments = {name for name, p in parameters.items() if p.default is p.empty}
        right = "run" if name in ADDING else "no argument"
        if arguments - {right}:
            wrong = f"the hook {name} is given {right}, found {', '.join(sorted(arguments))}"
            raise PluginError(at(place_of(function), wrong))


def _offered(
    plugin: Plugin, kind: Kind, manager: pluggy.PluginManager, module: object
) -> Iterable[Offer]:
    """Call the hook of one kind, and check that it returns components by name."""
    name = hook_of(kind)
    place = place_of(getattr(module, name, None))
    for offered in getattr(manager.hook, name)():
        if not isinstance(offered, Mapping):
            raise PluginError(at(place, f"{name} must give a mapping, not {offered!r}"))
        for key, component in offered.items():
            if not isinstance(key, str) or not key:
                raise PluginError(at(place, f"a {kind}'s name must be a string, not {key!r}"))
            yield Offer(kind, key, component, plugin, place)
