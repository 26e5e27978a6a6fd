"""Components describe themselves: facts, options, and where their own code fails."""

from math import inf
from typing import ClassVar

import pytest
from pydantic import Field
from tokbench_commands.describe import describe, in_full

from tokbench.api import Learner, Metric, Splitter, TextSegmenter
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
    requires_version: ClassVar = {"first": "0", "second": "1.2"}

    def split(self, text):
        return []


class Lines(TextSegmenter):
    """Cuts lines."""

    bar: str = Field("a|b", description="the bar")

    def segment_lines(self, lines, prepared):
        """Never called."""


def failing():
    raise SystemExit("no default today")


class Failing(Bare):
    """Has an option whose default cannot be made."""

    day: str = Field(default_factory=failing)


class Counted(Metric):
    """Counts little."""

    formula = "a | b"
    range = (-inf, 0)
    limit: int

    def count(self, segmentation):
        return {}

    def score(self, sums, vocabulary_size):
        return 0


class Unbounded(Counted):
    """May have any value, without an interval."""

    range = (-inf, inf)
    interval = False
    needs = frozenset({"gold"})


def offered(kind, component):
    return Offer(kind, "odd", component, Plugin("sample", "a-package", "1.0"))


def test_what_depends_on_an_option_that_must_be_given_is_left_open():
    record = describe(offered("learner", Odd))
    open_ = "depends on its options"
    assert (record["reads"], record["size"], record["promises"]) == (open_, open_, open_)
    assert record["options"] == "needed (whole number; required)"
    assert record["meaning"] == "Says | little."


def test_needed_packages_are_named_with_the_lowest_version_unless_any_will_do():
    record = describe(offered("splitter", Bare))
    assert record["needs"] == "first, second 1.2 or newer"
    assert record["install"] == "pip install 'odd[extra]'"
    assert record["meaning"] == ""


def test_an_example_has_the_options_that_must_be_given_or_the_first():
    assert "\nexample   {use: odd, needed: …}\n" in in_full("odd", offered("learner", Odd))
    assert "\nexample   {use: odd, bar: a|b}\n" in in_full("odd", offered("segmenter", Lines))
    assert "example" not in in_full("odd", offered("splitter", Bare))


def test_in_full_each_fact_has_a_line_and_each_option_two():
    assert in_full("segmenter odd", offered("segmenter", Lines)) == (
        "segmenter odd\n\nCuts lines.\n\n"
        "cuts      lines\npackage   a-package\nexample   {use: odd, bar: a|b}\n"
        "\nbar: text; default `a|b`\n    the bar\n"
    )


def test_code_that_fails_is_named():
    with pytest.raises(
        TokbenchError, match=r"^splitter odd: SystemExit: no default today \(.+:\d+\)$"
    ):
        describe(offered("splitter", Failing))


def test_a_metric_says_what_it_declares():
    record = describe(offered("metric", Counted))
    assert record["metric"] == "odd"
    assert record["meaning"] == "Counts little."
    assert record["range"] == "at most 0"
    assert record["options"] == "limit (whole number; required)"
    assert record["counted"] == "per word"
    assert record["interval"] == "yes"
    assert (record["n"], record["needs"], record["source"]) == ("", "", "")
    assert record["package"] == "a-package"


def test_a_metric_may_have_any_value_and_no_interval():
    record = describe(offered("metric", Unbounded))
    assert (record["interval"], record["range"]) == ("no", "any number")
    assert record["needs"] == "gold"


def test_what_depends_on_the_options_is_said_so():
    class Bounded(Counted):
        """Lie in a range that an option sets."""

        @property
        def range(self):
            return (0, self.limit)

        @property
        def interval(self):
            return self.limit > 1

    record = describe(offered("metric", Bounded))
    assert (record["range"], record["interval"]) == ("depends on the options",) * 2
    assert record["formula"] == "a | b"
