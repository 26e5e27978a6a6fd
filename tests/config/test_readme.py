"""The tables of configs/README.md say what the models say: no key missing, none made up."""

import re
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from tokbench.api.component import Use
from tokbench.config.corpora import CorporaKeys
from tokbench.config.experiment import LanguageModel, Limits, Recommend
from tokbench.config.models import ConfigKeys, MergeRange, SizeRange, SystemKeys
from tokbench.config.problems import WrittenAs
from tokbench.corpora.source import Generated, GoldSource, PerMillion, Remove, Source, Split

BEGIN = re.compile(r"^## (.+)$", re.MULTILINE)


KINDS = {
    Any: "any",
    bool: "`true`, `false`",
    int: "whole number",
    float: "number",
    str: "text",
    Path: "path",
    Limits: "limits",
    PerMillion: "`{per-million: list}`",
    CorporaKeys: "mapping",
    MergeRange: "range",
    LanguageModel: "mapping",
    Recommend: "mapping",
    Remove: "`{remove: pattern}`",
    SizeRange: "range",
    GoldSource: "gold corpus",
    Source: "corpus",
    Split: "share",
    Generated: "made pairs",
    SystemKeys: "system",
    Use: "component",
}


def values(annotation: object) -> str:
    """Return the values that may be written for a key."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in arguments)
    if origin is Annotated:
        written = [mark.annotation for mark in arguments[1:] if isinstance(mark, WrittenAs)]
        return values(written[0] if written else arguments[0])
    if origin is tuple:
        return f"list: {values(arguments[0])}"
    if origin is dict:
        return f"names: {values(arguments[1])}"
    if origin in (Union, UnionType):
        return " or ".join(values(inner) for inner in arguments if inner is not NoneType)
    return KINDS[annotation]


def rows(model: type[BaseModel]) -> dict[str, tuple[str, str, str]]:
    """Each key: its values, its default, its description."""
    described = {}
    for name, field in model.model_fields.items():
        key = field.alias or name
        default = None if field.is_required() else field.get_default(call_default_factory=True)
        shown = "required" if field.is_required() else spell(default)
        described[key] = (values(field.rebuild_annotation()), shown, field.description or "")
    return described


def spell(default: object) -> str:
    if isinstance(default, Use):
        return f"`{default.use}`"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return "none" if default in (None, (), {}) else f"`{default}`"


def table(model: type[BaseModel]) -> str:
    lines = ["| key | values | default | meaning |", "|---|---|---|---|"]
    lines += [f"| `{key}` | {' | '.join(row)} |" for key, row in rows(model).items()]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def sections(root):
    _, *parts = BEGIN.split((root / "configs/README.md").read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize(
    ("heading", "model"),
    [
        ("The whole config", ConfigKeys),
        ("A range of sizes", SizeRange),
        ("`corpora`", CorporaKeys),
        ("One corpus", Source),
        ("A share of the training text", Split),
        ("Pairs", Generated),
        ("A pattern to remove", Remove),
        ("One system", SystemKeys),
        ("`recommend`", Recommend),
        ("`model`", LanguageModel),
        ("Limits", Limits),
    ],
)
def test_the_table_of_a_section_holds_the_keys_of_its_model(sections, heading, model):
    assert table(model) in sections[heading]


def test_a_range_of_merges_has_the_keys_of_a_range_of_sizes():
    assert [*rows(MergeRange)] == [*rows(SizeRange)]


def test_the_options_of_components_are_found_from_there(root, sections):
    linked = re.findall(r"\]\(([^)]+)\)", sections["The options of components"])
    assert linked == ["../docs/reference/components.md", "../docs/reference/metrics.md"]
    assert all((root / "configs" / link).is_file() for link in linked)


def test_the_list_of_configs_is_complete(root, sections):
    shipped = {path.name for path in (root / "configs").glob("*.yaml")}
    listed = set(re.findall(r"^\| `([\w-]+\.yaml)`", sections["The shipped configs"], re.MULTILINE))
    assert shipped <= listed
