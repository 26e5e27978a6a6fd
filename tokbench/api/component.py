"""The base of every component: its options, its description, and its compiled code."""

import json
import os
import re
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema

from tokbench.api.files import DIGITS, InputFile

PREPARE = "a segmenter builds what it needs in `prepare`, whose result `segment` is given"
_SYNTAX = re.compile(r"""[\s,:|=(){}\[\]"\\]|^$""")


def kebab(field: str) -> str:
    """Spell a Python field name as configs do: `min_pair_count` is `min-pair-count`.

    Of a name that Python keeps for itself, the `_` at the end is left out: `from_` is `from`.
    """
    return field.removesuffix("_").replace("_", "-")


class Options(BaseModel):
    """A frozen set of options, spelled in kebab-case. Unknown options are refused.

    Numbers and truth values are not converted: '2' is no number, and 1 is not true.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=kebab, populate_by_name=True, defer_build=True
    )

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        schema = handler(source)
        _make_exact(handler.resolve_ref_schema(schema))
        return schema

    def shortest(self) -> Any:
        """Return the shortest form in which a config may write these options."""
        return self.model_dump(mode="json", by_alias=True)


class Component(Options):
    """A learner, segmenter, splitter or metric: a class whose fields are its options.

    A component that draws random numbers declares a field `seed: int = 0`; the runner fills it
    from the config's `seed` unless the config sets the option itself.
    """

    version: ClassVar[int] = 1
    """Part of signatures; increase it if the same input and options lead to another result."""

    requires: ClassVar[str | None] = None
    """The extra (`pip install "package[extra]"`) that the component needs, if any."""

    requires_version: ClassVar[Mapping[str, str]] = {}
    """The packages that this extra installs, each with the lowest version that will do, or "0" for
    any: `{"tokenizers": "0.22"}`. A run checks for them before it learns anything."""

    kernels: ClassVar[str | None] = None
    """The compiled module that makes it faster, for `tokbench.api.kernels`; it may not be built."""

    looks_in: ClassVar[str | None] = None
    """The option that names the folder of its files, which not every machine has; or None."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change an option, or to keep anything else: raises AttributeError."""
        try:
            super().__setattr__(name, value)
        except ValidationError:
            refused = f"{name!r} cannot be set: a component is frozen and holds only its options"
            raise AttributeError(f"{refused}; {PREPARE}") from None

    @classmethod
    def configure(cls, folder: Path | None = None, /, **options: Any) -> Self:
        """Build the component from options as a config spells them.

        Relative paths begin at `folder`. Raise `pydantic.ValidationError` for an unknown option or
        a wrong value.
        """
        return cls.model_validate(options, by_alias=True, by_name=False, context={"folder": folder})

    @property
    def files(self) -> tuple[InputFile, ...]:
        """The files that its options name."""
        values = (getattr(self, field) for field in type(self).model_fields)
        return tuple(value for value in values if isinstance(value, InputFile))

    def describe(self, name: str) -> str:
        """Return the name with every option that differs from its default: `bpe(merge=list)`."""
        plain = self.model_dump(mode="json", by_alias=True)
        options = ",".join(
            f"{kebab(field)}={_spelled(getattr(self, field), plain[kebab(field)])}"
            for field, declared in type(self).model_fields.items()
            if getattr(self, field) != declared.get_default(call_default_factory=True)
        )
        versioned = name if self.version == 1 else f"{name}.v{self.version}"
        return f"{versioned}({options})" if options else versioned


class Use(BaseModel):
    """A component as a config names it: `bpe`, or `{use: bpe, merge: list}`."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    use: str = Field(min_length=1, description="the component's name; its options stand beside it")

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value: Any) -> Any:
        return {"use": value} if isinstance(value, str) else value

    @property
    def options(self) -> dict[str, Any]:
        """The options beside the name, as the config spells them."""
        return dict(self.model_extra or {})


def _make_exact(schema: Any) -> None:
    """Make the numbers and truth values of a schema strict, so that nothing is converted."""
    if isinstance(schema, dict):
        if schema.get("type") in ("bool", "float", "int"):
            schema["strict"] = True
        for key, inner in schema.items():
            if key not in ("default", "metadata"):
                _make_exact(inner)
    elif isinstance(schema, list | tuple):
        for inner in schema:
            _make_exact(inner)


def _spelled(value: object, plain: object) -> str:
    """Spell an option for signatures: a file by its name and digest, without its folder."""
    if isinstance(value, InputFile):
        return f"{value.path.name}@{value.digest[:DIGITS]}"
    return compact(value.shortest() if isinstance(value, Options) else plain)


def compact(value: object) -> str:
    """Spell an option value on one line; different values have different spellings."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{compact(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(compact, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if _SYNTAX.search(value) else value
    return format(value, ".12g") if isinstance(value, float) else json.dumps(value)


VARIABLE = "TOKBENCH_ENGINE"
"""The environment variable that forces plain Python with the value `python`, for tests."""


def kernels(module: str) -> ModuleType | None:
    """Return a package's compiled kernels, or None if plain Python does the work."""
    if python_is_forced():
        return None
    try:
        return import_module(module)
    except ImportError:
        return None


def active(module: str) -> Literal["compiled", "python"]:
    """Return whether compiled code or plain Python does the work of a module's kernels."""
    return "python" if kernels(module) is None else "compiled"


def python_is_forced() -> bool:
    """Return whether plain Python does all work, even if compiled code was built."""
    return os.environ.get(VARIABLE) == "python"
