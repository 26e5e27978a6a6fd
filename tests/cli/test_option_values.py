"""Read the values of options, against expectations written by hand and the config reader."""

import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field
from tokbench_commands.describe import DESCRIBED, options, spelled
from tokbench_ready_made.published import PublishedTokenizer

from tokbench import plugins
from tokbench.api import InputFile, Options, Splitter
from tokbench.config.document import read_value


class Colour(Enum):
    RED = "red"
    NO = "no"


class Inner(Options):
    depth: int = Field(3, ge=1, description="how deep")


class Outer(Options):
    inner: Inner = Field(Inner(depth=4), description="the inside")
    share: float = 0.5


def explained(annotation, *default):
    """Explain one option of a type: (name, values, default, meaning) of all that it holds."""
    fields = {"an_option": default[0]} if default else {}
    namespace = {"__annotations__": {"an_option": annotation}, "__module__": __name__, **fields}
    component = type("Some", (Splitter,), namespace)
    return [(o.name, o.values, o.default, o.meaning) for o in options(component)]


@pytest.fixture(scope="module")
def offers():
    return [offer for offer in plugins.load().offers if offer.kind in DESCRIBED]


@pytest.mark.parametrize(
    ("annotation", "default", "values", "shown"),
    [
        (bool, False, "`true`, `false`", "`false`"),
        (int, Field(1, ge=1), "whole number (at least 1)", "`1`"),
        (float, Field(0.75, gt=0, le=1), "number (above 0, at most 1)", "`0.75`"),
        (float, 0.00001, "number", "`1.0e-05`"),
        (str, "", "text", "`''`"),
        (str, Field("</w>", min_length=1), "text (not empty)", "`</w>`"),
        (str, Field("##", min_length=2), "text (at least 2 characters)", "`'##'`"),
        (str, Field("a", pattern="^[a|b]$"), "text (matching `^[a|b]$`)", "`a`"),
        (str, "no", "text", "`'no'`"),
        (str, "`", "text", "``'`'``"),
        (str | None, None, "text or `null`", "`null`"),
        (int | str, 1, "whole number or text", "`1`"),
        (Annotated[int, Field(ge=2)] | None, 2, "whole number (at least 2) or `null`", "`2`"),
        (Literal["a", "b-c"], "b-c", "`a`, `b-c`", "`b-c`"),
        (Literal["no", 1, True, None], "no", "`'no'`, `1`, `true`, `null`", "`'no'`"),
        (Colour, Colour.NO, "`red`, `'no'`", "`'no'`"),
        (InputFile | None, None, "path or `null`", "`null`"),
        (Path, Path("a b"), "path", "`a b`"),
        (list[int], [1, 2], "list: whole number", "`[1, 2]`"),
        (list[Literal["a", "b"]], [], "list: `a`, `b`", "`[]`"),
        (tuple[str, ...], ("a", "b"), "list: text", "`[a, b]`"),
        (tuple[int, ...], Field((1,), min_length=1), "list (not empty): whole number", "`[1]`"),
        (tuple[int, int], (1, 2), "list: whole number, then whole number", "`[1, 2]`"),
        (dict[str, int], {"a": 1}, "mapping to whole number", "`{a: 1}`"),
        (Any, None, "any value", "`null`"),
        (Callable[[int], int] | None, None, "any value or `null`", "`null`"),
        (int, Field(default_factory=lambda: 7), "whole number", "`7`"),
    ],
)
def test_values_and_default_are_spelled_for_every_type(annotation, default, values, shown):
    assert explained(annotation, default) == [("an-option", values, shown, "")]


@pytest.mark.parametrize("annotation", [int, InputFile, str | None])
def test_an_option_without_default_is_required(annotation):
    ((_, _, default, _),) = explained(annotation)
    assert default == "required"


def test_a_nested_mapping_is_explained_by_its_keys_with_the_defaults_that_hold_there():
    assert explained(Outer, Field(Outer(inner=Inner(depth=9)), description="all")) == [
        ("an-option.inner.depth", "whole number (at least 1)", "`9`", "all: the inside: how deep"),
        ("an-option.share", "number", "`0.5`", "all"),
    ]


def test_a_nested_mapping_that_must_be_given_stands_before_its_keys():
    assert explained(Outer) == [
        ("an-option", "`{inner: …, share: …}`", "required", ""),
        ("an-option.inner.depth", "whole number (at least 1)", "`4`", "the inside: how deep"),
        ("an-option.share", "number", "`0.5`", ""),
    ]


def test_a_mapping_among_other_values_is_one_of_them():
    values = "`a` or `{depth: …}` or `null`"
    assert explained(Literal["a"] | Inner | None, Field(Inner(depth=2), description="it")) == [
        ("an-option", values, "`{depth: 2}`", "it"),
        ("an-option.depth", "whole number (at least 1)", "`2`", "it: how deep"),
    ]


def test_a_list_of_mappings_has_their_keys():
    assert explained(list[Inner], []) == [
        ("an-option", "list: `{depth: …}`", "`[]`", ""),
        ("an-option.depth", "whole number (at least 1)", "`3`", "how deep"),
    ]


def test_every_default_written_into_a_config_is_the_default(offers):
    written = 0
    for offer in offers:
        explained = [*options(offer.component)]
        if any(option.default == "required" for option in explained):
            continue
        values: dict[str, Any] = {}
        for option in explained:
            *outer, key = option.name.split(".")
            place = values
            for part in outer:
                place = place.setdefault(part, {})
            (place[key],) = read_value(re.sub("^`(.*)`$", r"[\1]", option.default))
            written += 1
        if issubclass(offer.component, PublishedTokenizer):
            continue  # whether it can be built depends on the files of the machine
        assert values == offer.component().model_dump(mode="json", by_alias=True), offer.name
    assert written > 100


@pytest.mark.parametrize("value", ["a, b", "{", "x: y", "#", "- a", "", "null", "1", "é▁", " a "])
def test_text_is_spelled_so_that_a_config_reads_it_back(value):
    assert read_value(f"[{spelled(value)}]") == [value]
    assert read_value(spelled({"key": [value]})) == {"key": [value]}
