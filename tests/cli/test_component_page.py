import re

import pytest
from pydantic import Field
from tokbench_commands.component_page import DESCRIBED, describe, document, section
from tokbench_commands.option_values import options

from tokbench import plugins
from tokbench.api import Learner, Splitter, TextSegmenter
from tokbench.errors import TokbenchError
from tokbench.plugins import Offer, Plugin


class Odd(Learner):
    """Says | little."""

    needed: int

    @property
    def order_free(self):
        return self.needed > 1

    def load(self):
        """Never called."""


class Bare(Splitter):
    requires = "odd[extra]"
    requires_modules = ("first", "second")

    def split(self, text):
        return []


class Lines(TextSegmenter):
    """Cuts lines."""

    bar: str = "a|b"

    def segment_lines(self, lines, prepared):
        """Never called."""


def failing():
    raise SystemExit("no default today")


class Failing(Bare):
    """Has an option whose default cannot be made."""

    day: str = Field(default_factory=failing)


def offered(kind, component, name="odd"):
    return Offer(kind, name, component, Plugin("sample", "a-package", "1.0"))


@pytest.fixture(scope="module")
def built_in():
    registry = plugins.load()
    assert registry.broken == ()
    return [
        offer
        for offer in registry.offers
        if offer.kind in DESCRIBED and offer.plugin.package == "tokbench"
    ]


@pytest.fixture(scope="module")
def page(built_in):
    return document(built_in)


def test_the_shipped_page_is_up_to_date(root, page, golden):
    golden(root / "docs" / "components.md", page)


def test_every_component_has_a_row_that_leads_to_its_section(built_in, page):
    # GitHub makes the anchor of a heading so: lower case, spaces as hyphens.
    headings = [
        line[3:].lower().replace(" ", "-") for line in page.split("\n") if line[:3] == "## "
    ]
    links = re.findall(r"^\| \[([^]]+)\]\(#([^)]+)\) \|", page, re.MULTILINE)
    assert headings == [anchor for _, anchor in links]
    ordered = sorted(built_in, key=lambda offer: (DESCRIBED.index(offer.kind), offer.name))
    assert links == [(o.name, f"{o.kind.replace(' ', '-')}-{o.name}") for o in ordered]


def test_every_component_and_every_option_is_explained(built_in):
    silent = [o.name for o in built_in if not describe(o)["meaning"]]
    for offer in built_in:
        silent += [f"{offer.name}: {o.name}" for o in options(offer.component) if not o.meaning]
        silent += [
            f"{offer.name}: {name}"
            for name, field in offer.component.model_fields.items()
            if not field.description
        ]
    assert silent == []


def test_a_page_has_no_markup_by_accident(page):
    plain = re.sub(r"(?s)(`+)[^`].*?\1", "", page)
    assert re.findall(r"<[a-z/!][^>]*>", plain) == []


def test_a_segmenter_says_whether_it_cuts_words_or_lines():
    assert describe(offered("segmenter", Lines))["cuts"] == "lines"
    assert describe(offered("splitter", Bare))["cuts"] == ""


def test_what_depends_on_an_option_that_must_be_given_is_left_open():
    record = describe(offered("learner", Odd))
    open_ = "depends on its options"
    assert (record["reads"], record["size"], record["promises"]) == (open_, open_, open_)
    assert record["options"] == "needed (whole number; required)"
    assert record["meaning"] == "Says | little."


def test_without_versions_the_modules_are_named():
    record = describe(offered("splitter", Bare))
    assert (record["needs"], record["install"]) == ("first, second", "pip install 'odd[extra]'")
    assert record["meaning"] == ""
    assert section(offered("splitter", Bare)) == (
        "## Splitter odd\n\n- needs: first, second\n- install: `pip install 'odd[extra]'`\n"
    )


def test_a_bar_does_not_break_the_table_and_a_name_is_no_markup():
    page = document([offered("segmenter", Lines, "a_b*")])
    assert "| [a\\_b\\*](#segmenter-a_b*) | lines |  |\n" in page
    assert "## Segmenter a\\_b\\*\n" in page
    assert "| `bar` | text | `a\\|b` |  |\n" in page


def test_code_that_fails_is_named():
    with pytest.raises(
        TokbenchError, match=r"^splitter odd: SystemExit: no default today \(.+:\d+\)$"
    ):
        section(offered("splitter", Failing))
