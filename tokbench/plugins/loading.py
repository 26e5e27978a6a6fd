"""Find and load plugins: installed packages by their entry points, and files."""

import importlib.util
import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pluggy

from tokbench import hookspecs
from tokbench.errors import DeadWorkerError, PluginError, WorkerError
from tokbench.failures import place_of, reported
from tokbench.plugins.declarations import at
from tokbench.plugins.kinds import KINDS, Kind, hook_of
from tokbench.plugins.registry import Broken, Offer, Plugin, Registry, staying_here
from tokbench.plugins.remote import Isolation
from tokbench.workers.limits import Limits

GROUP = "tokbench"
IMPORT = Limits(seconds=120, idle_seconds=60)
"""What a plugin may take to be imported and built with its defaults, in a worker."""

Origin = EntryPoint | Path


def load(files: Sequence[Path] = (), lazy: bool = False, trusted: bool = False) -> Registry:
    """Load every installed plugin and the given plugin files; a broken one costs only itself.

    With `lazy`, a class that a hook names by a text is imported when it is asked for. Plugins of
    others are imported in a worker first, and work there, unless they are `trusted`.
    """
    plugins: list[Plugin] = []
    offers: list[Offer] = []
    broken: list[Broken] = []
    for plugin, source in sorted(_found(files), key=lambda pair: (pair[0].name, pair[0].package)):
        read = _read if plugin.is_file else _read_once
        try:
            offers += read(plugin, source, lazy, trusted)
            plugins.append(plugin)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever a plugin does on import, even sys.exit, costs only itself.
            broken.append(Broken(plugin, reported(error)))
    isolation: Isolation | None = None if trusted else "foreign"
    return Registry(tuple(plugins), tuple(offers), tuple(broken), isolation)


def _read(plugin: Plugin, source: Origin, lazy: bool, trusted: bool) -> Sequence[Offer]:
    """Import a plugin and return what it offers; raises whatever is wrong with it."""
    apart = plugin.is_foreign and not trusted
    if apart:
        _probe(plugin)
    with staying_here(silent=apart):
        offers = _offers(plugin, _module(source))
        for offer in offers:
            if not (lazy and isinstance(offer.offered, str)):
                offer.imported()
    return offers


_read_once = cache(_read)
"""The same for an installed plugin, which stays as it is; one that is broken is read again."""


def load_one(plugin: Plugin) -> Sequence[Offer]:
    """Load one plugin again, in another process than the one that found it."""
    files = [Path(plugin.package)] if plugin.is_file else []
    for found, source in _found(files, plugin.name):
        if (found.name, found.package) == (plugin.name, plugin.package):
            return _offers(found, _module(source))
    raise PluginError(f"the plugin {plugin.name} of {plugin.package} is not installed")


def _found(files: Sequence[Path], name: str | None = None) -> list[tuple[Plugin, Origin]]:
    """Return all plugins, or those of a name, and where they are loaded from."""
    described = cache(_described)  # many entry points are of one distribution
    entries = entry_points(group=GROUP) if name is None else entry_points(group=GROUP, name=name)
    found: list[tuple[Plugin, Origin]] = [
        (Plugin(entry.name, *(described(entry.dist) if entry.dist else (entry.value, ""))), entry)
        for entry in entries
    ]
    return found + [(Plugin(path.name, str(path), "", is_file=True), path) for path in files]


@cache
def _manager() -> pluggy.PluginManager:
    """Return the manager that knows the hooks; it holds a plugin only while this one is read."""
    manager = pluggy.PluginManager("tokbench")
    manager.add_hookspecs(hookspecs)
    return manager


def _probe(plugin: Plugin) -> None:
    """Import a plugin in a worker first; raises PluginError where that harms the process."""
    from tokbench.workers.process import Call, without_key

    worker = Registry(isolation="foreign", limits=IMPORT).worker("import")
    given = (plugin.name, plugin.package, plugin.is_file)
    try:
        wrong = worker.run([Call("probe", given)])
    except DeadWorkerError as error:
        wrong = f"on import, with default options or at exit, {without_key(error)}"
    except WorkerError as error:
        raise PluginError(str(error)) from error  # whose traceback is that of the worker
    finally:
        worker.end()  # it has done what is done at exit
    if wrong:
        raise PluginError(wrong)


def _module(source: Origin) -> Any:
    return _load_file(source) if isinstance(source, Path) else source.load()  # Dask has its own


def _described(package: Distribution) -> tuple[str, str]:
    """Return the name and version of a distribution, whose file of metadata is read once."""
    metadata = package.metadata
    return metadata["Name"], metadata["Version"]


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


def _offers(plugin: Plugin, module: object) -> Sequence[Offer]:
    """Read one plugin's hooks and check what they give; no other is registered meanwhile."""
    manager = _manager()
    _check_hooks(manager, module)
    try:
        manager.register(module, plugin.name)
        offers = [offer for kind in KINDS for offer in _offered(plugin, kind, manager, module)]
    finally:
        if manager.is_registered(module):  # pluggy before 1.7 also holds what it refuses
            manager.unregister(module)
    if not offers:
        raise PluginError(
            "it offers nothing: expected a function with @hookimpl that returns a component"
        )
    return offers


def _check_hooks(manager: pluggy.PluginManager, module: object) -> None:
    """Check that each marked function is a hook, and each function called like a hook is marked."""
    hooks = [*map(hook_of, KINDS)]
    for attribute in dir(module):
        found = getattr(module, attribute, None)
        options = manager.parse_hookimpl_opts(module, attribute)
        if options is None:
            if attribute in hooks and callable(found):
                what = f"{attribute} is no hook: write @hookimpl above it"
                raise PluginError(at(place_of(found), what))
            continue
        name = options.get("specname") or attribute
        if name not in hooks:
            close = get_close_matches(name, hooks, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(hooks)}"
            raise PluginError(at(place_of(found), f"unknown hook {name}; {hint}"))
        given = inspect.signature(found).parameters.values() if callable(found) else ()
        if arguments := [one.name for one in given if one.default is one.empty]:
            wrong = f"the hook {name} is given no argument, found {', '.join(arguments)}"
            raise PluginError(at(place_of(found), wrong))


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
