"""Checks of what a component says of itself, before anything is done with it."""

from collections.abc import Mapping
from functools import cache, cached_property
from inspect import isfunction, signature
from pathlib import PureWindowsPath
from typing import Any, Literal, get_args, get_origin

from packaging.version import InvalidVersion, Version
from pydantic import ConfigDict, TypeAdapter, ValidationError

from tokbench.api import (
    Analysis,
    Component,
    InputFile,
    Learner,
    Metric,
    PairMetric,
    TrainingMetric,
    View,
    VocabularyFormat,
)
from tokbench.api.metric import Column, Need
from tokbench.api.tokenizer import Reads
from tokbench.errors import PluginError
from tokbench.failures import place_of
from tokbench.plugins.kinds import BASES, Kind

TEXTS = tuple[str, ...] | list[str]

READ_OF_CLASS = ("label", "needs", "per", "texts_only", "unit")
"""Read before a metric is built, so that no property of the instance can say it."""

# The properties of a component that are read after all work is done, or between.
FLAGS: Mapping[Kind, tuple[str, ...]] = {
    "learner": ("reads", "sized", "prefix_closed", "order_free", "deterministic"),
    "segmenter": ("fixed_cuts",),
}


def at(place: str, message: str) -> str:
    """Add the place of a hook to a message, if it is known."""
    return f"{message} ({place})" if place else message


def checked(kind: Kind, name: str, component: object) -> type[Component]:
    """Return what a hook offers if it is a whole component of that kind; raises PluginError."""
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
        ("looks_in", str | None, "a text or None"),
        ("requires", str | None, "a text or None"),
        ("requires_version", Mapping[str, str], "a mapping of texts to texts"),
    ):
        value = getattr(component, attribute)
        _expect(has_type(value, kind), who, attribute, value, expected)
    least = component.requires_version
    right = bool(least or not component.requires) and all(map(_is_version, least.values()))
    expected = "what `requires` installs, with versions, such as {'tokenizers': '0.22'}"
    _expect(right, who, "requires_version", least, expected)


def _is_version(text: str) -> bool:
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def check_methods(who: str, component: type[Component]) -> None:
    """Check that each method takes the arguments that it is given; raises PluginError."""
    for base in component.__mro__:
        methods = vars(base) if base.__module__.startswith("tokbench.api.") else {}
        for name, declared in methods.items():
            own = getattr(component, name, None)
            if not isfunction(declared) or not isfunction(own) or own is declared:
                continue
            expected, defined = signature(declared), signature(own)
            try:
                defined.bind(*expected.parameters)
            except TypeError:
                actual, right = (", ".join(method.parameters) for method in (defined, expected))
                wrong = f"{who} defines {name}({actual}), expected {name}({right})"
                raise PluginError(at(place_of(own), wrong)) from None


def check_built(kind: Kind, name: str, built: Component) -> None:
    """Read all that is read after work is done, so that what fails does so before."""
    who = f"the {kind} {name!r}"
    described, files = built.describe(name), built.files
    _expect(has_type(described, str), who, "describe", described, "a text")
    are_files = isinstance(files, tuple | list) and all(isinstance(f, InputFile) for f in files)
    _expect(are_files, who, "files", files, "a tuple of files")
    # Before a library reads the file, so that a change meanwhile is seen.
    for file in files:
        _ = file.digest
    for flag in FLAGS.get(kind, ()):
        bool(getattr(built, flag))
    if isinstance(built, Learner):
        reads = built.reads
        _expect(has_type(reads, Reads), who, "reads", reads, f"one of {_listed(Reads)}")
    if isinstance(built, Metric):
        _check_declarations(name, built)
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
    folders = form.folder_names
    right = has_type(folders, tuple[TEXTS, ...] | list[TEXTS]) and all(
        names and all(map(is_file_name, names)) for names in folders
    )
    expected = "a tuple that holds a tuple of file names for each convention"
    _expect(right, f"the format {name!r}", "folder_names", folders, expected)


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
    for attribute in ("formula", "range"):
        if not hasattr(metric, attribute):
            raise PluginError(f"the metric {name!r} does not say its {attribute}")
    _check_declarations(name, metric)
    if metric.per == "line" and metric.unit != "line":
        raise PluginError(f"the metric {name!r} counts per line, so its unit must be line")
    for need, options in {"lines": ("reference", "texts"), "system": ("of",)}.items():
        fits = metric.per == "line" and {*options} <= {*metric.model_fields}
        if need in metric.needs and not fits:
            wanted = " and ".join(f"`{option}`" for option in options)
            raise PluginError(
                f"the metric {name!r} needs `{need}`: make it count per line; its options must "
                f"include {wanted}"
            )
    bases: dict[str, type[Any]] = {"pairs": PairMetric, "training-lines": TrainingMetric}
    for need, base in bases.items():
        if need in metric.needs and not issubclass(metric, base):
            raise PluginError(f"the metric {name!r} needs `{need}`: make it a {base.__name__}")
        if issubclass(metric, base) and need not in metric.needs:
            raise PluginError(f"the {base.__name__} {name!r} must need `{need}`")


def _check_declarations(name: str, metric: type[Metric] | Metric) -> None:
    """Check what a metric says of itself; raises PluginError, and what its properties raise.

    A property can be read of an instance only, and where the class is asked there may be none.
    """
    for attribute, annotation in Metric.__annotations__.items():
        value = getattr(metric, attribute)
        later = isinstance(metric, type) and attribute not in READ_OF_CLASS
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


def _listed(literal: Any) -> str:
    """List the values of a Literal."""
    return ", ".join(map(repr, sorted(get_args(literal))))


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


def _is_range(value: Any) -> bool:
    """Return whether a value is two real numbers, the lower first."""
    numbers = has_type(value, tuple[float, float] | list[float])
    return numbers and len(value) == 2 and value[0] <= value[1]  # false for NaN


def _expect(right: bool, who: str, attribute: str, value: object, expected: str) -> None:
    """Raise PluginError unless a declaration is right."""
    if right:
        return
    shown = " ".join(repr(value).split())
    if len(shown) > 60 or shown.startswith("<"):
        shown = f"a {type(value).__name__}"
    raise PluginError(f"{who} declares `{attribute}`: found {shown}, expected {expected}")
