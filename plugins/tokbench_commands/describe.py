"""Components described by themselves: as records, in full, and the values of each option."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc
from math import isinf
from typing import Any

import yaml
from pydantic import BaseModel, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, PydanticUndefined, to_jsonable_python

from tokbench.api import Component, Learner, Metric, Options, Segmenter, TextSegmenter
from tokbench.commands import Kind, Offer, kebab, models_in, run_plugin_code
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

DESCRIBED: tuple[Kind, ...] = (
    "learner", "segmenter", "splitter", "gold reader", "pair generator", "analysis", "view",
)  # fmt: skip
"""The kinds of components beside metrics, in the order in which they are described."""

PROMISES = ("prefix_closed", "order_free", "deterministic")
OPEN = "depends on its options"
NO_FACTS = ("component", "metric", "kind", "meaning", "options")
"""The fields of a record that have places of their own."""


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


def describe(offer: Offer) -> dict[str, str]:
    """Return what a component says of itself, as text; a field that does not apply is empty.

    The promises of a learner are those of its default options; one that depends on an option that
    must be given is left open. Raises TokbenchError where a plugin's code fails.
    """
    component = offer.component
    meaning, package = cleandoc(component.__doc__ or ""), offer.plugin.package
    in_line = "; ".join(map(_in_line, options_of(offer)))
    if issubclass(component, Metric):
        with run_plugin_code(f"metric {offer.name}"):
            facts = _of_metric(component, in_line)
        return {"metric": offer.name, "meaning": meaning, **facts, "package": package}
    facts = dict.fromkeys(("reads", "size", "promises", "cuts"), "")
    if issubclass(component, Learner):
        with run_plugin_code(f"learner {offer.name}"):
            facts |= _of_learner(component)
    if issubclass(component, Segmenter):
        facts["cuts"] = "lines" if issubclass(component, TextSegmenter) else "words"
    facts["needs"] = ", ".join(_needs(component))
    facts["install"] = f"pip install '{component.requires}'" if component.requires else ""
    names = {"component": offer.name, "kind": offer.kind, "meaning": meaning}
    return {**names, **facts, "options": in_line, "package": package}


def in_full(title: str, offer: Offer) -> str:
    """Return a title, the meaning, each fact on a line of its own, then two lines an option."""
    record = describe(offer)
    facts = {key: value for key, value in record.items() if value and key not in NO_FACTS}
    own = options_of(offer)
    if own and offer.kind != "view":
        facts["example"] = _example(offer.name, own)
    lines = [title, "", record["meaning"], ""]
    lines += [f"{key:<10}{value}" for key, value in facts.items()]
    for option in own:
        lines += ["", f"{option.name}: {option.values}; {option.shown}", f"    {option.meaning}"]
    return "\n".join(lines) + "\n"


def _example(name: str, own: Iterable[Option]) -> str:
    """Return how a config writes a component: with the options that it needs, else the first."""
    top = [option for option in own if "." not in option.name]
    shown = [option for option in top if option.default == REQUIRED] or top[:1]
    keys = (f"{o.name}: {'…' if o.default == REQUIRED else o.default.strip('`')}" for o in shown)
    return f"{{{', '.join([f'use: {name}', *keys])}}}"


def options_of(offer: Offer) -> list[Option]:
    """Return the options of a component; raises TokbenchError where its own code fails."""
    with run_plugin_code(f"{offer.kind} {offer.name}"):
        return [*options(offer.component)]


def _in_line(option: Option) -> str:
    return f"{option.name} ({option.values}; {option.shown}): {option.meaning}".removesuffix(": ")


def _of_learner(component: type[Learner]) -> dict[str, str]:
    """Return what a learner says with the options that it has by default."""
    try:
        learner = component.model_construct()
        kept = [kebab(promise) for promise in PROMISES if getattr(learner, promise)]
        return {
            "reads": learner.reads,
            "size": "as asked" if learner.sized else "its own",
            "promises": ", ".join(kept) or "none",
        }
    except Exception:
        # A plugin's property may raise anything where an option that it needs is not there.
        return dict.fromkeys(("reads", "size", "promises"), OPEN)


def _needs(component: type[Component]) -> Iterator[str]:
    """Name the packages that must be installed, with the lowest versions that will do."""
    for name, least in component.requires_version.items():
        yield name if least == "0" else f"{name} {least} or newer"


def _of_metric(metric: type[Metric], in_line: str) -> dict[str, str]:
    return {
        "label": metric.label,
        "formula": _declared(metric, "formula"),
        "range": _declared(metric, "range"),
        "better": _declared(metric, "better"),
        "unit": metric.unit,
        "counted": f"per {metric.per}",
        "n": _in_words(metric.denominator),
        "interval": _declared(metric, "interval"),
        "needs": ", ".join(sorted(metric.needs)),
        "options": in_line,
        "evidence": _in_words(metric.evidence),
        "source": _in_words(metric.source),
    }


def _declared(metric: type[Metric], name: str) -> str:
    """Spell what a metric declares; of a property, its value for the default options."""
    value = getattr(metric, name)
    if not isinstance(value, property | cached_property):
        return _in_words(value)
    if any(field.is_required() for field in metric.model_fields.values()):
        return "depends on the options"
    return f"{_in_words(getattr(metric(), name))} by default"


def _in_words(value: object) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case (int() | float() as low, int() | float() as high):
            if isinf(low):
                return "any number" if isinf(high) else f"at most {high:g}"
            return f"at least {low:g}" if isinf(high) else f"{low:g} to {high:g}"
    return str(value or "")


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
