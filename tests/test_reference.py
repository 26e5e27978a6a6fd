"""The pages of docs that describe components: up to date, complete, and valid Markdown."""

import importlib.util
import re

import pytest
from tokbench_commands.describe import DESCRIBED

from tokbench.api import Metric, TextSegmenter
from tokbench.plugins import Offer, Plugin

from .conftest import ROOT


class Lines(TextSegmenter):
    """Cuts lines."""

    requires, requires_version = "odd[extra]", {"odd": "1"}
    bar: str = "a|b"

    def segment_lines(self, lines, prepared):
        """Never called."""


class Odd(Metric):
    """Says | little."""

    formula = "a | b"
    range = (0, 1)

    def count(self, segmentation):
        return {}

    def score(self, sums, vocabulary_size):
        return 0


def offered(kind, component, name):
    return Offer(kind, name, component, Plugin("sample", "a-package", "1.0"))


@pytest.fixture(scope="module")
def reference():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "docs" / "reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built_in(reference):
    return reference.shipped()


@pytest.fixture(scope="module")
def components(reference, built_in):
    return reference.component_page(built_in)


@pytest.fixture(scope="module")
def metrics(reference, built_in):
    return reference.metric_page(built_in)


def test_the_shipped_pages_are_up_to_date(root, reference, built_in, components, metrics, golden):
    golden(root / "docs" / "reference" / "components.md", components)
    golden(root / "docs" / "reference" / "metrics.md", metrics)
    golden(root / "docs" / "glossary.md", reference.glossary_page(built_in))


def test_every_component_has_a_row_that_leads_to_its_section(built_in, components):
    # GitHub makes the anchor of a heading so: lower case, spaces as hyphens.
    headings = [
        line[3:].lower().replace(" ", "-") for line in components.split("\n") if line[:3] == "## "
    ]
    links = re.findall(r"^\| \[([^]]+)\]\(#([^)]+)\) \|", components, re.MULTILINE)
    assert headings == [anchor for _, anchor in links]
    described = [offer for offer in built_in if offer.kind in DESCRIBED]
    ordered = sorted(described, key=lambda offer: (DESCRIBED.index(offer.kind), offer.name))
    assert links == [(o.name, f"{o.kind.replace(' ', '-')}-{o.name}") for o in ordered]


def test_every_metric_has_a_row_and_a_section(built_in, metrics):
    names = [offer.name for offer in built_in if offer.kind == "metric"]
    assert len(names) == len({*names})
    for name in names:
        assert f"| [{name}](#{name}) |" in metrics
        assert re.search(rf'\n## <a id="{name}"></a>.*{name}\b', metrics)


def test_every_metric_has_a_label_of_its_own(reference, built_in):
    labels = [reference.label_of(offer) for offer in built_in if offer.kind == "metric"]
    assert len(labels) == len({*labels})
    assert not {*labels} & {*reference.TERMS}
    assert all(offer.component.label for offer in built_in if offer.kind == "metric")


def test_the_field_s_other_names_are_given(metrics):
    sections = dict(re.findall(r'\n## <a id="([^"]+)">[^\n]*\n(.*?)(?=\n## |\Z)', metrics, re.S))
    assert "STRR" in sections["kept-whole-distinct"]
    assert "PCW" in sections["continued-words"]


def test_a_page_has_no_markup_by_accident(components):
    plain = re.sub(r"(?s)(`+)[^`].*?\1", "", components)
    assert re.findall(r"<[a-z/!][^>]*>", plain) == []


def test_a_bar_does_not_break_a_table_and_a_name_is_no_markup(reference):
    page = reference.component_page([offered("segmenter", Lines, "a_b*")])
    assert "| [a\\_b\\*](#segmenter-a_b*) | lines | `pip install 'odd[extra]'` |\n" in page
    assert "## Segmenter a\\_b\\*\n" in page
    assert "| `bar` | text | `a\\|b` |  |\n" in page
    page = reference.metric_page([offered("metric", Odd, "odd")])
    assert "| [odd](#odd) |  | line | neither | 0 to 1 | `a \\| b` |" in page
    assert "```\na | b\n```" in page
