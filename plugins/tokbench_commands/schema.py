"""`tokbench schema`: the JSON Schema of configs, for editors that complete and check YAML."""

import json
from typing import Any

import click
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import TaggedUnionSchema

from tokbench.commands import ConfigKeys, Source, Split, keys_of
from tokbench_commands.shared import with_output


class _AnyOf(GenerateJsonSchema):
    """JSON Schema in which all unions are spelled alike, however their members are told apart."""

    def tagged_union_schema(self, schema: TaggedUnionSchema) -> JsonSchemaValue:
        return {"anyOf": super().tagged_union_schema(schema)["oneOf"]}


_LISTED = {"anyOf": [{"required": ["list"]}, {"required": ["from", "to"]}]}
_NOT_BOTH = {"not": {"required": ["sizes", "merges"]}}


@click.command()
@with_output
def command() -> None:
    """Print or write the JSON Schema of configs, for editors that complete and check YAML."""
    click.echo(json.dumps(schema(), indent=2, ensure_ascii=False))


def schema() -> dict[str, Any]:
    """Build the JSON Schema (draft 2020-12) of a config.

    The options of components are left open: which there are depends on the plugins installed.
    """
    config = ConfigKeys.model_json_schema(by_alias=True, schema_generator=_AnyOf)
    parts = config["$defs"]
    # Only the validators of a source know its short forms, and that it has one place.
    for name in ("Source", "GoldSource"):
        source = parts[name]
        paths = source["properties"]["path"]
        source["properties"]["path"] = _or_text(paths)
        source["oneOf"] = [{"required": ["path"]}, {"required": ["catalog"]}]
        parts[name] = {"anyOf": [*_or_text(source)["anyOf"], paths | {"minItems": 1}]}
    # Something must be scored, and a key of a single corpus is no corpus's name.
    corpora = parts["CorporaKeys"]
    corpora["anyOf"] = [{"required": [key]} for key in ("test", "lists", "gold", "pairs")]
    by_name = corpora["properties"]["test"]["anyOf"][-1]
    by_name["propertyNames"] = {"not": {"enum": sorted({*keys_of(Source), *keys_of(Split)})}}
    parts["Use"] = _or_text(parts["Use"])
    parts["SystemKeys"] |= _NOT_BOTH
    for name in ("SizeRange", "MergeRange"):
        parts[name] |= _LISTED
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **config,
        **_NOT_BOTH,
        "title": "tokbench config",
    }


def _or_text(full: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [{"type": "string", "minLength": 1}, full]}
