"""Problems of a config: what pydantic finds wrong in plain words, and its place in the file."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, ErrorDetails, core_schema

from tokbench.errors import InputError, PluginError, TokbenchError, UsageError
from tokbench.printing import closest, one_line

Where = tuple[str | int, ...]
"""The keys and list positions that lead to a part of a config."""

_WIDTH = 100
_BEFORE = 60
_LONGEST = 60
_OF_SIZES = re.compile(r"(^|[-_])vocab(ulary)?[-_]?sizes?$|^n[-_]?vocab$", re.IGNORECASE)
"""What others call the key `sizes`."""

_KINDS = {
    "bool_type": "true or false",
    "dict_type": "a mapping (`key: value`)",
    "float_type": "a number",
    "int_type": "a whole number",
    "list_type": "a list such as [first, second]",
    "path_type": "a path",
    "string_type": "text",
    "string_unicode": "text that is valid Unicode",
    "string_too_short": "text that is not empty",
    "tuple_type": "a list such as [first, second]",
}
_MODELS = {
    "GoldSource": "a path, or a mapping with `path` or `catalog`",
    "Source": "a path, or a mapping with `path` or `catalog`",
    "SystemKeys": "the name of a learner, or a mapping with `learner`",
    "Use": "a name, or {use: name, option: value}",
}

Checked = TypeVar("Checked", bound=BaseModel)


@dataclass(frozen=True)
class Problem:
    """One thing to mend: the part of the config that is wrong, and what is wrong with it.

    `error` is the class of error, and so the exit code, if it is the only problem. `causes` are
    printed once, before all problems. `index` is its character in the text, once that is known.
    `at_key` points at the part's key instead of its value.
    """

    where: Where
    what: str
    at_key: bool = False
    error: type[TokbenchError] = UsageError
    causes: tuple[str, ...] = ()
    index: int | None = None

    def inside(self, *where: str | int) -> "Problem":
        """Return the same problem of a part that stands inside another."""
        return replace(self, where=(*where, *self.where))

    def __str__(self) -> str:
        """Write `where: what`, for example `systems[1].learner.merge: found ...`."""
        spelled = ""
        for part in self.where:
            spelled += f"[{part}]" if isinstance(part, int) else f".{part}" if spelled else part
        return f"{spelled}: {self.what}" if spelled else self.what


class WrongValueError(ValueError):
    """A value with `problems`, whose places are relative to it; validators may raise it."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


def refuse(problems: Iterable[Problem]) -> None:
    """Raise WrongValueError if there are problems."""
    if collected := [*problems]:
        raise WrongValueError(*collected)


class ConfigError(UsageError):
    """A wrong config; the message shows all its problems in the order of the file."""


def as_error(path: Path, text: str, problems: Iterable[Problem]) -> TokbenchError:
    """Make one error of all problems, in the order of the file, after what caused them.

    It is a ConfigError, unless all that is wrong lies outside the config: then a PluginError or,
    if only files are missing, an InputError.
    """
    ordered = sorted(dict.fromkeys(problems), key=lambda problem: problem.index or 0)
    causes = dict.fromkeys(one_line(cause) for problem in ordered for cause in problem.causes)
    message = "\n".join([*causes, *(_shown(path, text, problem) for problem in ordered)])
    error = worst(ordered)
    return ConfigError(message) if error is UsageError else error(message)


def worst(problems: Sequence[Problem]) -> type[TokbenchError]:
    """Return the class of error that problems are together: the first that anyone can mend."""
    codes = {problem.error.exit_code for problem in problems}
    kinds = (UsageError, PluginError)
    return next((kind for kind in kinds if kind.exit_code in codes), InputError)


def _shown(path: Path, text: str, problem: Problem) -> str:
    """Write `file:line:column: where: what`, the source line, and a caret below the place."""
    line, column = line_and_column(text, problem.index or 0)
    source = text.split("\n")[line - 1].removesuffix("\r")
    return one_line(f"{path}:{line}:{column}: {problem}") + pointed(source, column)


def line_and_column(text: str, index: int) -> tuple[int, int]:
    r"""Return the line and the column of a character, from 1; lines end at `\n` only."""
    return text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index)


def pointed(source: str, column: int) -> str:
    """Return a source line, cropped if it is long, and a caret below its column (from 1).

    An empty line is left out.
    """
    if not source.strip():
        return ""
    start = max(0, column - _BEFORE) if len(source) > _WIDTH else 0
    before, rest = source[start : column - 1], source[column - 1 : start + _WIDTH]
    left, right = "…" if start else "", "…" if start + _WIDTH < len(source) else ""
    indent = " " * _columns(left + one_line(before))
    return f"\n    {left}{one_line(before)}{one_line(rest)}{right}\n    {indent}^"


def _columns(text: str) -> int:
    """Count the columns that a text takes on a terminal: wide letters two, combining marks none."""
    # Not by rich, which a config error does not wait for.
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in ("Mn", "Me") for char in text)


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
    """Describe what a failed check of data against a model found.

    Pydantic reports the errors of all members of a union. Of these, errors inside a value say more
    than those about its type, which are joined: `expected a list or 'all'`.
    """
    errors = [(written(details["loc"], data), details) for details in error.errors()]
    around = {path[:depth] for path, _ in errors for depth in range(len(path))}
    right_type = {path for path, details in errors if not _is_about_type(details)}
    expected: dict[Where, list[str]] = {}
    for path, details in errors:
        if path in around and (_is_about_type(details) or details["type"] == "too_short"):
            continue
        if not _is_about_type(details):
            yield from _problems(path, details, model)
        elif path not in right_type:
            expected.setdefault(path, [value_text(details["input"])]).append(
                _expected(details, model)
            )
    for path, (value, *right) in expected.items():
        yield Problem(path, f"found {value}, expected {' or '.join(dict.fromkeys(right))}")


def written(loc: Where, data: Any) -> Where:
    """Return the parts of a problem's place that are written: keys and list positions of the data.

    The others are pydantic's names of the members of a union, or keys of a value's long form.
    """
    path: Where = ()
    for part in loc:
        inside = isinstance(data, dict) and part in data
        if inside or (isinstance(data, list) and isinstance(part, int) and part < len(data)):
            data = data[part]
            path += (part,)
    return path


def _is_about_type(details: ErrorDetails) -> bool:
    """Return whether an error says that a value has another type, not that it is wrong itself."""
    return details["type"].endswith("_type") or details["type"] == "literal_error"


def _problems(path: Where, details: ErrorDetails, model: type[BaseModel]) -> Iterator[Problem]:
    loc, kind = details["loc"], details["type"]
    at_key = loc[-1:] == ("[key]",)
    if kind == "missing":
        yield Problem(path, f"the key `{loc[-1]}` is missing")
    elif kind == "extra_forbidden":
        yield Problem(path, _unknown_key(str(loc[-1]), _keys_at(model, loc[:-1])), at_key=True)
    elif kind in ("value_error", "assertion_error"):
        error = details["ctx"]["error"]
        if isinstance(error, WrongValueError):
            yield from (problem.inside(*path) for problem in error.problems)
        else:
            outside = isinstance(error.__cause__, OSError)
            yield Problem(path, str(error), at_key, InputError if outside else UsageError)
    else:
        what = f"found {value_text(details['input'])}, expected {_expected(details, model)}"
        yield Problem(path, what, at_key)


def _expected(details: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe what would be right at the place of an error."""
    kind, message = details["type"], details["msg"]
    if kind == "model_type":
        keys = ", ".join(f"`{key}`" for key in _keys_at(model, details["loc"]))
        return _MODELS.get(details["ctx"]["class_name"], f"a mapping with the keys {keys}")
    if kind == "too_short":
        return f"at least {details['ctx']['min_length']}"
    if kind in ("bool_type", "float_type", "int_type") and _is_quoted(details["input"]):
        return f"{_KINDS[kind]}, without quotes"
    expected = _KINDS.get(kind) or message.removeprefix("Input should be ")
    if expected.startswith(("greater", "less")):
        return f"a number {expected}"
    return expected if expected != message else f"something else: {message}"


def _is_quoted(value: Any) -> bool:
    """Return whether a text must have stood in quotes, since it spells a number or truth value."""
    if not isinstance(value, str):
        return False
    try:
        float(value)
    except ValueError:
        return value.lower() in ("true", "false", "yes", "no", "on", "off")
    return True


def value_text(value: Any) -> str:
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


def _unknown_key(key: str, keys: Sequence[str]) -> str:
    """Describe an unknown key, and which one was meant or which there are."""
    meant = "sizes" if "sizes" in keys and _OF_SIZES.search(key) else closest(key, keys)
    if meant:
        return f"unknown key `{key}`; did you mean `{meant}`?"
    if _OF_SIZES.search(key):
        where = "the key `sizes` of a config or system, or `--size` of a command"
        return f"unknown key `{key}`; sizes stand beside the learner: {where}"
    listed = ", ".join(f"`{name}`" for name in keys)
    return f"unknown key `{key}`; there are: {listed}" if keys else f"unknown key `{key}`"
