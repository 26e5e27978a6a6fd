from math import inf

import pytest
from tokbench_commands.metric_page import describe, document, section

from tokbench import plugins
from tokbench.api import AdditiveMetric, WholeMetric
from tokbench.plugins import Offer, Plugin


class Odd(AdditiveMetric):
    """Says | little."""

    formula = "a | b"
    range = (-inf, 0)
    limit: int

    def count(self, segmentation):
        return {}

    def score(self, sums, vocabulary_size):
        return 0


class Whole(WholeMetric):
    formula = "c"
    range = (-inf, inf)
    needs = frozenset({"gold"})

    def measure(self, segmentation):
        return 0


def offered(metric, name="odd"):
    return Offer("metric", name, metric, Plugin("sample", "a-package", "1.0"))


@pytest.fixture(scope="module")
def built_in():
    registry = plugins.load()
    return [o for o in registry.offers if o.kind == "metric" and o.plugin.package == "tokbench"]


def test_the_shipped_page_is_up_to_date(root, built_in, golden):
    golden(root / "docs" / "metrics.md", document(built_in))


def test_every_metric_has_a_row_and_a_section(built_in):
    page = document(built_in)
    names = {offer.name for offer in built_in}
    assert len(built_in) == len(names)
    for name in names:
        assert f"| [{name}](#{name}) |" in page
        assert f"\n## {name}\n" in page


def test_the_field_s_other_names_are_given(built_in):
    sections = {offer.name: section(describe(offer)) for offer in built_in}
    assert "STRR" in sections["kept-whole-distinct"]
    assert "PCW" in sections["kept-whole-running"]


def test_a_record_says_what_the_metric_declares():
    record = describe(offered(Odd))
    assert record["metric"] == "odd"
    assert record["meaning"] == "Says | little."
    assert record["range"] == "at most 0"
    assert record["options"] == "limit (required)"
    assert record["counted"] == "per word"
    assert record["interval"] == "yes"
    assert (record["n"], record["needs"], record["source"]) == ("", "", "")
    assert record["package"] == "a-package"


def test_a_whole_metric_has_no_columns_and_no_interval():
    record = describe(offered(Whole))
    assert (record["counted"], record["n"], record["interval"]) == ("whole", "", "no")
    assert record["range"] == "any number"
    assert record["needs"] == "gold"


def test_an_option_gives_its_default(built_in):
    renyi = next(o for o in built_in if o.name == "renyi-efficiency-observed")
    assert "; power (default 2.5): " in describe(renyi)["options"]


def test_a_bar_does_not_break_the_table():
    page = document([offered(Odd)])
    assert "| [odd](#odd) | line | neither | at most 0 | `a \\| b` |" in page
    assert "```\na | b\n```" in page


def test_what_depends_on_the_options_is_said_so():
    class Bounded(Odd):
        """Lie in a range that an option sets."""

        @property
        def range(self):
            return (0, self.limit)

        @property
        def interval(self):
            return self.limit > 1

    record = describe(offered(Bounded))
    assert (record["range"], record["interval"]) == ("depends on the options",) * 2
    assert record["formula"] == "a | b"
