"""Components: options as configs spell them, descriptions, signatures."""

import pytest
from pydantic import Field, ValidationError

from tokbench.api import EndMark, Splitter
from tokbench.api.component import Use


class Toy(Splitter):
    """A splitter with options of every kind."""

    min_count: int = Field(1, ge=1)
    eow: EndMark = EndMark(kind="fused")
    loud: bool = False

    def split(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


class Second(Toy):
    """The same with other results."""

    version = 2


def test_options_are_spelled_in_kebab_case() -> None:
    assert Toy.configure(**{"min-count": 3}).min_count == 3


def test_unknown_options_and_wrong_values_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Toy.configure(mincount=3)
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Toy.configure(min_count=3)
    with pytest.raises(ValidationError, match="greater than or equal to 1"):
        Toy.configure(**{"min-count": 0})


@pytest.mark.parametrize(
    "options", [{"min-count": "3"}, {"min-count": True}, {"loud": 1}, {"loud": "no"}]
)
def test_numbers_and_truth_values_are_not_read_from_other_types(options: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match=r"Input should be a valid (integer|boolean)"):
        Toy.configure(**options)


def test_components_cannot_be_changed() -> None:
    for name in ("loud", "cache"):
        with pytest.raises(AttributeError, match=f"'{name}' cannot be set: a component is frozen"):
            setattr(Toy(), name, True)


@pytest.mark.parametrize(
    ("options", "description"),
    [
        ({}, "toy"),
        ({"loud": True, "min-count": 2}, "toy(min-count=2,loud=true)"),
        ({"eow": "fused"}, "toy"),
        ({"eow": {"kind": "separate", "text": "_"}}, "toy(eow={kind:separate,text:_})"),
    ],
)
def test_describe_names_what_differs_from_the_defaults(
    options: dict[str, object], description: str
) -> None:
    assert Toy.configure(**options).describe("toy") == description


def test_describe_names_a_version_beyond_the_first() -> None:
    assert Second().describe("toy") == "toy.v2"


def test_a_use_is_a_name_or_a_mapping() -> None:
    assert Use.model_validate("bpe") == Use(use="bpe")
    assert Use.model_validate({"use": "bpe", "merge": "list"}).options == {"merge": "list"}
    with pytest.raises(ValidationError, match="use"):
        Use.model_validate({"merge": "list"})
