"""From pydantic's errors to ours: what was found, what would be right, and where."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tokbench.config.document import followed
from tokbench.config.options import keys_at, meant, unknown_key
from tokbench.config.problems import Where

_EXPECTED = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a mapping (`key: value`)",
    "float_parsing": "a number",
    "float_type": "a number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list such as [first, second]",
    "path_type": "a path",
    "string_too_short": "text that is not empty",
    "string_type": "text",
    "tuple_type": "a list such as [first, second]",
}
_MODELS = {
    "Source": "a path, or a mapping with `path` or `catalog`",
    "Use": "a name, or {use: name, option: value}",
}
_LONGEST = 60


@dataclass(frozen=True)
class Fault:
    """One wrong place in checked data: the path to it, and what is wrong."""

    path: Where
    what: str
    at_key: bool = False


def faults(error: ValidationError, annotation: Any, data: Any) -> Iterator[Fault]:
    """Describe what a failed check of `data` against `annotation` found."""
    groups: dict[Where, list[ErrorDetails]] = {}
    for details in _causes(error.errors(include_url=False), annotation, data):
        groups.setdefault(_union(details["loc"], data), []).append(details)
    for path, group in groups.items():
        yield from _faults_at(path, group, annotation, data)


def _causes(errors: list[ErrorDetails], annotation: Any, data: Any) -> Iterator[ErrorDetails]:
    """Leave out what only follows: a key misspelt and so missing, a list short of wrong items."""
    misspelt = {
        (*loc[:-1], meant(str(loc[-1]), keys_at(annotation, loc[:-1])))
        for loc in (details["loc"] for details in errors if details["type"] == "extra_forbidden")
    }
    for details in errors:
        loc, kind = details["loc"], details["type"]
        follows = kind == "missing" and loc in misspelt
        follows |= kind == "too_short" and bool(followed(loc, data)[1])
        if not follows:
            yield details


def _faults_at(
    path: Where, group: list[ErrorDetails], annotation: Any, data: Any
) -> Iterator[Fault]:
    """Describe the faults at one union: those of the members that fit the data furthest."""
    shallow = [details for details in group if len(details["loc"]) <= len(path) + 1]
    deep = [details for details in group if len(details["loc"]) > len(path) + 1]
    wrong_keys = [d for d in shallow if d["type"] in ("missing", "extra_forbidden")]
    valued = [d for d in shallow if d["type"] == "value_error"]  # of the right kind, but wrong
    if deep or wrong_keys or valued:
        yield from (_fault(details, annotation, data) for details in wrong_keys + deep + valued)
    elif len(shallow) > 1:
        expected = " or ".join(dict.fromkeys(_expected(d, annotation) for d in shallow))
        yield Fault(path, f"found {found(followed(path, data)[1])}, expected {expected}")
    else:
        yield from (_fault(details, annotation, data) for details in shallow)


def _fault(details: ErrorDetails, annotation: Any, data: Any) -> Fault:
    loc = details["loc"]
    path, value = followed(loc, data)
    if details["type"] == "missing":
        return Fault(path, f"the key `{loc[-1]}` is missing")
    if details["type"] == "extra_forbidden":
        return Fault(path, unknown_key(str(loc[-1]), keys_at(annotation, loc[:-1])), at_key=True)
    if details["type"] in ("value_error", "assertion_error"):
        return Fault(path, str(details["ctx"]["error"]))
    return Fault(path, f"found {found(value)}, expected {_expected(details, annotation)}")


def _expected(details: ErrorDetails, annotation: Any) -> str:
    """Describe what would be right at the place of an error."""
    kind, message = details["type"], details["msg"]
    if kind in ("model_type", "model_attributes_type"):
        name = details["ctx"]["class_name"]
        keys = ", ".join(f"`{key}`" for key in keys_at(annotation, details["loc"]))
        return _MODELS.get(name, f"a mapping with the keys {keys}")
    if kind == "too_short":
        return f"at least {details['ctx']['min_length']}"
    if kind in _EXPECTED:
        return _EXPECTED[kind]
    expected = message.removeprefix("Input should be ")
    if expected.startswith(("greater", "less")):
        return f"a number {expected}"
    return expected if expected != message else f"something else: {message}"


def found(value: Any) -> str:
    """Name a value in a message: text in quotes and cropped, containers by their kind."""
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if not isinstance(value, str):
        return str(value)
    return f"'{value}'" if len(value) <= _LONGEST else f"'{value[:_LONGEST]}…'"


def _union(loc: Where, data: Any) -> Where:
    """Return the path up to the first part that only pydantic knows: a union member's name."""
    path, _ = followed(loc, data)
    return path if path == loc[: len(path)] else _union(loc[:-1], data)


def coerced(data: Any, checked: Any, path: Where = ()) -> Iterator[Fault]:
    """Find values that pydantic took for another type: `true` for 1, quoted '5' for 5.

    `checked` is the JSON form of what `data` became.
    """
    if isinstance(data, dict) and isinstance(checked, dict):
        for key in (key for key in data if key in checked):
            yield from coerced(data[key], checked[key], (*path, key))
    elif isinstance(data, list) and isinstance(checked, list):
        for i, (item, became) in enumerate(zip(data, checked, strict=False)):
            yield from coerced(item, became, (*path, i))
    elif isinstance(checked, bool) and _is_number(data) | isinstance(data, str):
        yield Fault(path, f"found {found(data)}, expected true or false, without quotes")
    elif _is_number(checked) and isinstance(data, bool):
        yield Fault(path, f"found {found(data)}, expected a number")
    elif _is_number(checked) and isinstance(data, str) and _spells_number(data):
        yield Fault(path, f"found {found(data)}, expected a number: leave the quotes out")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spells_number(text: str) -> bool:
    """Return whether pydantic read the text as a number, not a validator of the plugin."""
    try:
        float(text)
    except ValueError:
        return False
    return True
