"""The values that each option of a component may have, in Markdown."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, PydanticUndefined, to_jsonable_python

from tokbench.api import Options
from tokbench.commands import kebab, models_in
from tokbench.printing import code

Schema = Mapping[str, Any]

REQUIRED = "required"

_TYPES = {
    "boolean": "`true`, `false`",
    "integer": "whole number",
    "null": "`null`",
    "number": "number",
    "string": "text",
}
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matching `{}`",
}


@dataclass(frozen=True)
class Option:
    """One option: its name as configs spell it, its values, its default, and what it means.

    The key of a nested mapping is `outer.inner`.
    """

    name: str
    values: str
    default: str
    meaning: str

    @property
    def shown(self) -> str:
        """The default, and that it is one; or that there is none."""
        return self.default if self.default == REQUIRED else f"default {self.default}"


class _Lenient(GenerateJsonSchema):
    """JSON Schema where a type that JSON does not know may be anything."""

    ignored_warning_types = frozenset({"non-serializable-default", "skipped-choice"})

    def handle_invalid_for_json_schema(
        self, schema: CoreSchema, error_info: str
    ) -> JsonSchemaValue:
        return {}


def options(model: type[BaseModel], defaults: BaseModel | None = None) -> Iterator[Option]:
    """Return the options of a component, or of a mapping that one of them is, its keys inside it.

    The defaults are those that the model declares, or the values of `defaults`.
    """
    for name, field in model.model_fields.items():
        value = (
            getattr(defaults, name) if defaults else field.get_default(call_default_factory=True)
        )
        shown = REQUIRED if value is PydanticUndefined else code(spelled(_plain(value)))
        meaning = " ".join((field.description or "").split())
        option = Option(field.alias or kebab(name), values(field), shown, meaning)
        if field.annotation is not type(value) or not isinstance(value, Options):
            yield option
        for inner in models_in(field.annotation):
            keys = options(inner, value if isinstance(value, inner) else None)
            for key in keys:
                both = ": ".join(filter(None, (meaning, key.meaning)))
                yield Option(f"{option.name}.{key.name}", key.values, key.default, both)


def values(field: FieldInfo) -> str:
    """Describe the values that may be written for a field."""
    schema = TypeAdapter(field.rebuild_annotation()).json_schema(schema_generator=_Lenient)
    return _values(schema, schema.get("$defs", {}))


def spelled(value: Any) -> str:
    """Spell a value of JSON as a config may write it, on one line.

    >>> spelled("##"), spelled([0.5, None, True]), spelled({"kind": "fused"})
    ("'##'", '[0.5, null, true]', '{kind: fused}')
    """
    listed: str = yaml.safe_dump(
        [value], default_flow_style=True, allow_unicode=True, sort_keys=False, width=float("inf")
    )
    return listed.strip()[1:-1]


def _plain(value: Any) -> Any:
    """Return a value in its shortest JSON form."""
    if isinstance(value, Options):
        return value.shortest()
    return to_jsonable_python(value, by_alias=True, serialize_unknown=True)


def _values(schema: Schema, definitions: Mapping[str, Schema]) -> str:
    """Describe the values that a JSON Schema allows."""

    def each(schemas: Iterable[Schema]) -> Iterator[str]:
        return (_values(inner, definitions) for inner in schemas)

    if "$ref" in schema:
        return _values(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "enum" in schema or "const" in schema:
        allowed = schema.get("enum") or [schema["const"]]
        return ", ".join(code(spelled(value)) for value in allowed)
    if choices := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(each(choices)))
    kind = schema.get("type")
    if kind == "object" and "properties" in schema:
        return code("{" + ", ".join(f"{key}: …" for key in schema["properties"]) + "}")
    if kind == "object":
        inner = schema.get("additionalProperties")
        return f"mapping to {_values(inner if isinstance(inner, dict) else {}, definitions)}"
    if "prefixItems" in schema:
        return f"list: {', then '.join(each(schema['prefixItems']))}"
    if kind == "array":
        return f"list{_limits(schema)}: {_values(schema.get('items', {}), definitions)}"
    if schema.get("format") == "path":
        return "path"
    return f"{_TYPES.get(str(kind), 'any value')}{_limits(schema)}"


def _limits(schema: Schema) -> str:
    """Describe in brackets the limits of a value."""
    limits = [text.format(schema[key]) for key, text in _LIMITS.items() if key in schema]
    hint = re.sub("at least 1 (characters|items)", "not empty", ", ".join(limits))
    return f" ({hint})" if hint else ""
