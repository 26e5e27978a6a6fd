"""Find, load, check and index plugins. A registry is a value: there is no global state."""

import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, cached_property, partial
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path, PureWindowsPath
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

import pluggy
from pydantic import ConfigDict, TypeAdapter, ValidationError

from tokbench import hookspecs
from tokbench.api import (
    AdditiveMetric,
    Analysis,
    Component,
    GoldReader,
    InputFile,
    Learner,
    Metric,
    PairGenerator,
    PairMetric,
    ParallelMetric,
    Segmenter,
    Splitter,
    SystemMetric,
    TrainingMetric,
    View,
    Vocabulary,
    VocabularyFormat,
    WholeMetric,
)
from tokbench.api.analysis import Column
from tokbench.api.component import Use
from tokbench.api.learner import Reads
from tokbench.api.metric import Need
from tokbench.errors import BrokenPluginError, PluginError, TokbenchError, UsageError
from tokbench.failures import Issue, attempt, place_of, reported

GROUP = "tokbench"

Kind = Literal[
    "learner",
    "segmenter",
    "splitter",
    "metric",
    "format",
    "gold reader",
    "pair generator",
    "analysis",
    "view",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
BASES: Mapping[Kind, type[Component]] = {
    "learner": Learner,
    "segmenter": Segmenter,
    "splitter": Splitter,
    "metric": Metric,
    "format": VocabularyFormat,
    "gold reader": GoldReader,
    "pair generator": PairGenerator,
    "analysis": Analysis,
    "view": View,
}


TEXTS = tuple[str, ...] | list[str]

READ_OF_CLASS = ("needs", "per", "texts_only", "unit")
"""Read before a metric is built, so that no property of the instance can say it."""

# The properties of a component that are read after all work is done, or between.
FLAGS: Mapping[Kind, tuple[str, ...]] = {
    "learner": ("sized", "prefix_closed", "order_free", "deterministic"),
    "segmenter": ("fixed_cuts",),
}


@dataclass(frozen=True)
class Plugin:
    """Where components come from: an installed package's entry point, or a file."""

    name: str
    package: str
    version: str
    is_file: bool = False


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
            with staying_here():
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
            return _checked(self.kind, self.name, found)
        except PluginError as error:
            raise PluginError(_at(self.hook, str(error))) from None


@dataclass(frozen=True)
class Registry:
    """All components on offer, and the plugins that are broken."""

    plugins: tuple[Plugin, ...] = ()
    offers: tuple[Offer, ...] = ()
    broken: tuple[Broken, ...] = ()
    _index: dict[tuple[Kind, str], list[Offer]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Index the offers by kind and name."""
        for offer in self.offers:
            self._index.setdefault((offer.kind, offer.name), []).append(offer)

    def names(self, kind: Kind) -> list[str]:
        """Return the names of all components of a kind, sorted."""
        return sorted(name for offered, name in self._index if offered == kind)

    def find(self, kind: Kind, name: str) -> Offer:
        """Return the one offer of that name.

        Raises PluginError (exit code 3) for a clash, or for an unknown name while a plugin is
        broken; UsageError (exit code 2) for an unknown name otherwise.
        """
        offers = self._index.get((kind, name), [])
        if len(offers) == 1:
            return offers[0]
        if offers:
            both = " and ".join(f"{o.plugin.name} ({o.plugin.package})" for o in offers)
            raise PluginError(f"the {kind} {name!r} is offered by {both}: remove one of them")
        raise self._unknown(kind, name)

    def build(self, kind: Kind, use: Use, folder: Path | None = None) -> Component:
        """Build the component that a config in `folder` names, and check that its extra is there.

        Raises what `find` raises, `pydantic.ValidationError` for wrong options, and whatever a
        property raises that is needed later.
        """
        component = self.find(kind, use.use).component
        check_requirements(use.use, component)
        with staying_here():
            built = component.configure(folder, **use.options)
            _check_built(kind, use.use, built)
        return built

    def build_all(self, kind: Kind) -> tuple[dict[str, Component], list[Issue]]:
        """Build all components of a kind with their defaults; what fails costs only itself."""
        built: dict[str, Component] = {}
        issues: list[Issue] = []
        for name in self.names(kind):
            made = attempt(f"{kind} {name}", partial(self.build, kind, Use(use=name)))
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


def check_requirements(name: str, component: type[Component]) -> None:
    """Raise PluginError if the extra that a component needs is not installed, or is too old."""
    if not component.requires:
        return
    missing = [m for m in component.requires_modules if importlib.util.find_spec(m) is None]
    if missing:
        raise PluginError(
            f"{name!r} needs {', '.join(missing)}: pip install '{component.requires}'"
        )
    for package, least in component.requires_version.items():
        try:
            found = version(package)
        except PackageNotFoundError:
            found = ""
        if older(found, least):
            raise PluginError(
                f"{name!r} needs {package} {least} or newer, found {found or 'none'}: "
                f"pip install --upgrade '{component.requires}'"
            )


def older(found: str, least: str) -> bool:
    """Return whether a version is below another, by the numbers that both begin with.

    >>> older("0.9.1", "0.10"), older("0.10.0rc1", "0.10")
    (True, False)
    """

    def numbers(text: str) -> list[int]:
        release = re.match(r"[0-9]+(\.[0-9]+)*", text)
        return [int(part) for part in release[0].split(".")] if release else []

    return numbers(found) < numbers(least)


def load(files: Sequence[Path] = (), lazy: bool = False) -> Registry:
    """Load every installed plugin and the given plugin files; a broken one costs only itself.

    With `lazy`, a class that a hook names by a text is imported when it is asked for.
    """
    described = cache(_described)  # many entry points are of one distribution
    found: list[tuple[Plugin, Any]] = [
        (Plugin(entry.name, *(described(entry.dist) if entry.dist else (entry.value, ""))), entry)
        for entry in entry_points(group=GROUP)
    ]
    found += [(Plugin(path.name, str(path), "", is_file=True), path) for path in files]
    plugins: list[Plugin] = []
    offers: list[Offer] = []
    broken: list[Broken] = []
    manager = pluggy.PluginManager("tokbench")
    manager.add_hookspecs(hookspecs)
    for plugin, source in sorted(found, key=lambda pair: (pair[0].name, pair[0].package)):
        try:
            with staying_here():
                module = source.load() if isinstance(source, EntryPoint) else _load_file(source)
                offered = _offers(plugin, module, manager)
                for offer in offered:
                    if not (lazy and isinstance(offer.offered, str)):
                        offer.imported()
            offers += offered
            plugins.append(plugin)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            # Whatever a plugin does on import, even sys.exit, costs only itself.
            broken.append(Broken(plugin, reported(error)))
    return Registry(tuple(plugins), tuple(offers), tuple(broken))


@contextmanager
def staying_here() -> Iterator[None]:
    """Come back to the current folder, from which paths are given, where a plugin leaves it."""
    try:
        here = Path.cwd()
    except OSError:  # the folder was removed, so no path is given from it
        here = None
    with chdir(here) if here else nullcontext():
        yield


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


def _offers(plugin: Plugin, module: object, manager: pluggy.PluginManager) -> Sequence[Offer]:
    """Read one plugin's hooks and check what they give; no other is registered meanwhile."""
    _check_hooks(manager, module)
    manager.register(module, plugin.name)
    try:
        offers = [offer for kind in KINDS for offer in _offered(plugin, kind, manager, module)]
    finally:
        manager.unregister(module)
    if not offers:
        raise PluginError("it offers nothing: no function is marked with @hookimpl")
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
                raise PluginError(_at(place_of(found), what))
            continue
        name = options.get("specname") or attribute
        if name not in hooks:
            close = get_close_matches(name, hooks, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(hooks)}"
            raise PluginError(_at(place_of(found), f"unknown hook {name}; {hint}"))
        given = inspect.signature(found).parameters.values() if callable(found) else ()
        if arguments := [one.name for one in given if one.default is one.empty]:
            wrong = f"the hook {name} is given no argument, found {', '.join(arguments)}"
            raise PluginError(_at(place_of(found), wrong))


def _at(place: str, message: str) -> str:
    return f"{message} ({place})" if place else message


def hook_of(kind: Kind) -> str:
    """Return the name of the hook for components of a kind."""
    plural = "analyses" if kind == "analysis" else f"{kind}s"
    return f"tokbench_{plural.replace(' ', '_')}"


def _offered(
    plugin: Plugin, kind: Kind, manager: pluggy.PluginManager, module: object
) -> Iterable[Offer]:
    """Call the hook of one kind, and check that it returns components by name."""
    name = hook_of(kind)
    place = place_of(getattr(module, name, None))
    for offered in getattr(manager.hook, name)():
        if not isinstance(offered, Mapping):
            raise PluginError(_at(place, f"{name} must give a mapping, not {offered!r}"))
        for key, component in offered.items():
            if not isinstance(key, str) or not key:
                raise PluginError(_at(place, f"a {kind}'s name must be a string, not {key!r}"))
            yield Offer(kind, key, component, plugin, place)


def _checked(kind: Kind, name: str, component: object) -> type[Component]:
    base = BASES[kind]
    if not (isinstance(component, type) and issubclass(component, base)):
        raise PluginError(f"the {kind} {name!r} must be a subclass of {base.__name__}")
    abstract = sorted(getattr(component, "__abstractmethods__", ()))
    if abstract:
        raise PluginError(f"the {kind} {name!r} does not define {', '.join(abstract)}")
    _check_requires(f"the {kind} {name!r}", component)
    if issubclass(component, Metric):
        _check_metric(name, component)
    if issubclass(component, Learner):
        methods = (Learner.learn, Learner.learn_lines, Learner.load)
        if all(getattr(component, method.__name__) is method for method in methods):
            raise PluginError(f"the learner {name!r} does not define learn, learn_lines or load")
    if issubclass(component, VocabularyFormat):
        _check_format(name, component)
    if issubclass(component, View):
        _check_view(name, component)
    return component


def _check_requires(who: str, component: type[Component]) -> None:
    """Check what every component may declare."""
    for attribute, kind, expected in (
        ("kernels", str | None, "a text or None"),
        ("requires", str | None, "a text or None"),
        ("requires_modules", TEXTS, "a tuple of texts"),
        ("requires_version", Mapping[str, str], "a mapping of texts to texts"),
    ):
        value = getattr(component, attribute)
        _expect(has_type(value, kind), who, attribute, value, expected)


def _check_built(kind: Kind, name: str, built: Component) -> None:
    """Read all that is read after work is done, so that what fails does so before."""
    who = f"the {kind} {name!r}"
    described, files = built.describe(name), built.files
    _expect(has_type(described, str), who, "describe", described, "a text")
    are_files = isinstance(files, tuple | list) and all(isinstance(f, InputFile) for f in files)
    _expect(are_files, who, "files", files, "a tuple of files")
    for flag in FLAGS.get(kind, ()):
        bool(getattr(built, flag))
    if isinstance(built, Learner):
        reads = built.reads
        _expect(has_type(reads, Reads), who, "reads", reads, f"one of {_listed(Reads)}")
    if isinstance(built, Metric):
        check_declarations(name, built)
    if isinstance(built, Analysis):
        columns: Any = getattr(built, "columns", None)
        right = has_type(columns, Mapping[str, Column]) and {"system", "size"}.isdisjoint(columns)
        expected = "a mapping of names but system and size to 'text' or 'number'"
        _expect(right, who, "columns", columns, expected)
    if isinstance(built, VocabularyFormat):
        count = built.file_count
        is_count = has_type(count, int) and count > 0
        _expect(is_count, who, "file_count", count, "a number of at least 1")


def _check_format(name: str, form: type[VocabularyFormat]) -> None:
    """Check the names of files, which are read and written inside a folder of the user's."""
    found = form.folder_names
    right = has_type(found, tuple[TEXTS, ...] | list[TEXTS]) and all(
        names and all(map(is_file_name, names)) for names in found
    )
    expected = "a tuple that holds a tuple of file names for each convention"
    _expect(right, f"the format {name!r}", "folder_names", found, expected)


def _check_view(name: str, view: type[View]) -> None:
    """Check what a view can write, which may be the name of a file beside those of the run."""
    formats = view.formats
    right = has_type(formats, TEXTS) and len(formats) > 0
    _expect(right, f"the view {name!r}", "formats", formats, "a tuple of texts, such as ('md',)")
    form = view.file_name.rpartition(".")[2] if is_file_name(view.file_name) else ""
    right = form in {"md", "html", "json"} & {*formats} and view.file_name != "run.json"
    expected = "a file name that ends in a format of the view: .md, .html or .json"
    _expect(
        right or view.file_name == "", f"the view {name!r}", "file_name", view.file_name, expected
    )


def is_file_name(name: object) -> bool:
    """Return whether a value is the plain name of a file, which leads out of no folder.

    >>> [is_file_name(name) for name in ("vocab.txt", "../vocab.txt", "/vocab.txt", "..", "", None)]
    [True, False, False, False, False, False]
    """
    if not isinstance(name, str) or not name.isprintable() or name in ("", ".", ".."):
        return False
    # Windows knows all separators, and drives besides.
    return PureWindowsPath(name).name == name


def _check_metric(name: str, metric: type[Metric]) -> None:
    if not issubclass(metric, AdditiveMetric | WholeMetric):
        raise PluginError(f"the metric {name!r} must be an AdditiveMetric or a WholeMetric")
    for attribute in ("formula", "range"):
        if not hasattr(metric, attribute):
            raise PluginError(f"the metric {name!r} does not say its {attribute}")
    check_declarations(name, metric)
    if issubclass(metric, AdditiveMetric) and metric.per == "line" and metric.unit != "line":
        raise PluginError(f"the metric {name!r} counts per line, so its unit must be line")
    bases: dict[str, type[Metric]] = {"lines": ParallelMetric, "pairs": PairMetric}
    bases |= {"system": SystemMetric, "training-lines": TrainingMetric}
    for need, base in bases.items():
        if need in metric.needs and not issubclass(metric, base):
            raise PluginError(f"the metric {name!r} needs `{need}`: make it a {base.__name__}")
        if issubclass(metric, base) and need not in metric.needs:
            raise PluginError(f"the {base.__name__} {name!r} must need `{need}`")


def check_declarations(name: str, metric: type[Metric] | Metric) -> None:
    """Check what a metric says of itself; raises PluginError, and what its properties raise.

    A property can be read of an instance only, and where the class is asked there may be none.
    """
    kind = metric if isinstance(metric, type) else type(metric)
    for base in (Metric, AdditiveMetric) if issubclass(kind, AdditiveMetric) else (Metric,):
        for attribute, annotation in base.__annotations__.items():
            value = getattr(metric, attribute)
            later = metric is kind and attribute not in READ_OF_CLASS
            if later and isinstance(value, property | cached_property):
                continue
            (declared,) = get_args(annotation)
            right, expected = _declared(attribute, declared, value)
            _expect(right, f"the metric {name!r}", attribute, value, expected)


def _declared(attribute: str, declared: Any, value: Any) -> tuple[bool, str]:
    """Return whether a metric's attribute has a right value, and what would be one, in words."""
    if attribute == "range":
        return _is_range(value), "two numbers, the lower first"
    right = has_type(value, declared)
    if attribute == "events":
        expected = "a tuple of one or two column names, or an empty one"
        return right and len(value) < 3, expected
    if attribute == "needs":
        kinds = frozenset[Need] | set[Need] | tuple[Need, ...] | list[Need]
        return has_type(value, kinds), f"a set of {_listed(Need)}"
    if get_origin(declared) is Literal:
        return right, f"one of {_listed(declared)}"
    return right, {bool: "True or False", str: "a text"}.get(declared, "a text or None")


def _listed(known: Any) -> str:
    """List the values of a Literal."""
    return ", ".join(map(repr, sorted(get_args(known))))


def has_type(value: object, kind: Any) -> bool:
    """Return whether a value has a type, and its parts have theirs.

    >>> has_type(("a", "b"), tuple[str, ...]), has_type(("a", 1), tuple[str, ...])
    (True, False)
    """
    try:
        _strict(kind).validate_python(value)
    except ValidationError:
        return False
    return True


@cache
def _strict(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind, config=ConfigDict(strict=True))


def _is_range(value: object) -> bool:
    """Return whether a value is two real numbers, the lower first, which floats can hold."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        return False
    if not all(isinstance(end, int | float) and not isinstance(end, bool) for end in value):
        return False
    try:
        low, high = map(float, value)
    except OverflowError:
        return False
    return low <= high  # false for NaN


def _expect(right: bool, who: str, attribute: str, value: object, expected: str) -> None:
    """Raise PluginError unless a declaration is right."""
    if right:
        return
    try:
        shown = " ".join(repr(value).split())
    except Exception:  # also of a huge number
        shown = ""
    if not shown or len(shown) > 60 or shown.startswith("<"):
        shown = f"a {type(value).__name__}"
    raise PluginError(f"{who} declares `{attribute}`: found {shown}, expected {expected}")
