"""Check plain data against pydantic models: what was found, what would be right, and where."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from tokbench.config.document import read_plain, written
from tokbench.config.problems import Problem, Where, WrongValueError
from tokbench.errors import InputError, UsageError

_KINDS = {
    "bool_type": "true or false",
    "dict_type": "a mapping (`key: value`)",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list such as [first, second]",
    "path_type": "a path",
    "string_type": "text",
    "tuple_type": "a list such as [first, second]",
}
_MODELS = {
    "GoldSource": "a path, or a mapping with `path` or `catalog`",
    "Source": "a path, or a mapping with `path` or `catalog`",
    "Use": "a name, or {use: name, option: value}",
}
_LONGEST = 60

Checked = TypeVar("Checked", bound=BaseModel)


@dataclass(frozen=True)
class WrittenAs:
    """Marks a key whose value is written as `annotation`, and becomes what `read` makes of it."""

    annotation: Any
    read: Callable[[Any, Any], Any]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler.generate_schema(self.annotation)
        return core_schema.with_info_after_validator_function(self.read, schema)


def checked(model: type[Checked], data: Any, context: object = None) -> Checked:
    """Check plain data against a model; raises WrongValueError with all that is wrong."""
    try:
        return model.model_validate(data, by_alias=True, by_name=False, context=context)
    except ValidationError as error:
        raise WrongValueError(*problems_in(error, model, data)) from None


def problems_in(error: ValidationError, model: type[BaseModel], data: Any) -> Iterator[Problem]:
    """Describe what a failed check of data against a model found."""
    errors = [(written(one["loc"], data), one) for one in error.errors(include_url=False)]
    misspelt = {
        (*one["loc"][:-1], _meant(str(one["loc"][-1]), _keys_at(model, one["loc"][:-1])))
        for _, one in errors
        if one["type"] == "extra_forbidden"
    }
    around = {path[:depth] for path, _ in errors for depth in range(len(path))}
    right_kind = {path for path, one in errors if not _is_kind(one)}
    kinds: dict[Where, list[str]] = {}
    for path, one in errors:
        if one["loc"] in misspelt and one["type"] == "missing":
            continue
        if path in around and (_is_kind(one) or one["type"] == "too_short"):
            continue  # what is wrong inside says more
        if not _is_kind(one):
            yield from _problems(path, one, model)
        elif path not in right_kind:
            kinds.setdefault(path, [found(one["input"])]).append(_expected(one, model))
    for path, (value, *expected) in kinds.items():
        right = " or ".join(dict.fromkeys(expected))
        yield Problem(path, f"found {value}, expected {right}")


def _is_kind(details: ErrorDetails) -> bool:
    """Return whether an error says that a value is of another kind, not that it is wrong itself."""
    return details["type"].endswith("_type") or details["type"] == "literal_error"


def _problems(path: Where, details: ErrorDetails, model: type[BaseModel]) -> Iterator[Problem]:
    loc, kind = details["loc"], details["type"]
    at_key = loc[-1:] == ("[key]",)
    if kind == "missing":
        yield Problem(path, f"the key `{loc[-1]}` is missing")
    elif kind == "extra_forbidden":
        what = _unknown_key(str(loc[-1]), _keys_at(model, loc[:-1]))
        yield Problem(path, what, at_key=True)
    elif kind in ("value_error", "assertion_error"):
        error = details["ctx"]["error"]
        if isinstance(error, WrongValueError):
            yield from (problem.inside(*path) for problem in error.problems)
        else:
            outside = isinstance(error.__cause__, OSError)
            yield Problem(path, str(error), at_key, InputError if outside else UsageError)
    else:
        what = f"found {found(details['input'])}, expected {_expected(details, model)}"
        yield Problem(path, what, at_key)


def _expected(details: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe what would be right at the place of an error."""
    kind, message = details["type"], details["msg"]
    if kind == "model_type":
        keys = ", ".join(f"`{key}`" for key in _keys_at(model, details["loc"]))
        name = details["ctx"]["class_name"]
        return _MODELS.get(name, f"a mapping with the keys {keys}")
    if kind == "too_short":
        return f"at least {details['ctx']['min_length']}"
    if kind == "string_too_short":
        return "text that is not empty"
    if kind in ("bool_type", "float_type", "int_type") and _is_quoted(details["input"]):
        return f"{_KINDS[kind]}, without quotes"
    expected = _KINDS.get(kind) or message.removeprefix("Input should be ")
    if expected.startswith(("greater", "less")):
        return f"a number {expected}"
    return expected if expected != message else f"something else: {message}"


def _is_quoted(value: Any) -> bool:
    """Return whether a text must have stood in quotes, since it spells a number or truth value."""
    try:
        return isinstance(value, str) and not isinstance(read_plain(value), str)
    except ValueError:
        return True


def found(value: Any) -> str:
    """Name a value in a message: text in quotes and cropped, containers by their kind."""
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= _LONGEST else f"'{value[:_LONGEST]}…'"
    return json.dumps(value, default=str)


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """Find the models that an annotation holds, at whatever depth of unions and containers."""
    if isinstance(annotation, WrittenAs):
        return models_in(annotation.annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in models_in(inner)]


def keys_of(model: type[BaseModel]) -> dict[str, Any]:
    """List a model's keys as configs spell them, with their annotations."""
    return {
        field.alias or name: field.rebuild_annotation()
        for name, field in model.model_fields.items()
    }


def _keys_at(model: type[BaseModel], loc: Where) -> list[str]:
    """List the keys that may stand at the place that an error's `loc` leads to, sorted.

    Parts of `loc` that are no key (list positions, pydantic's names of union members) lead on to
    the same models, or to the member that they name.
    """
    models = [model]
    for part in loc:
        named = [inner for inner in models if inner.__name__ == part]
        models = named or [
            inner
            for outer in models
            for inner in (models_in(keys_of(outer)[part]) if part in keys_of(outer) else [outer])
        ]
    return sorted({key for inner in models for key in keys_of(inner)})


def _meant(key: str, known: Iterable[str]) -> str | None:
    """Return the known key that a misspelt one stands for, if there is one."""
    close = get_close_matches(key.replace("_", "-").lower(), sorted(known), n=1)
    return close[0] if close else None


def _unknown_key(key: str, known: Iterable[str]) -> str:
    """Describe an unknown key, and which one was meant or which there are."""
    known = sorted(known)
    if close := _meant(key, known):
        return f"unknown key `{key}`; did you mean `{close}`?"
    listed = ", ".join(f"`{name}`" for name in known)
    return f"unknown key `{key}`; there are: {listed}" if known else f"unknown key `{key}`"
