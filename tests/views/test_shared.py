"""How numbers are spelled, which metrics are headlines, and which lines are joined."""

import pytest
from tokbench_views.shared import agreeing, headline_metrics

from tokbench.printing import integer, number, percent, short


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (0.0004, "0.0004"),
        (-0.0004321, "-0.00043"),
        (0.0006, "0.001"),
        (0.12345, "0.123"),
        (-1.5, "-1.500"),
        (99.5, "99.500"),
        (123.45, "123.5"),
        (1000.0, "1,000"),
        (1234567.8, "1,234,568"),
    ],
)
def test_numbers_have_the_digits_that_a_reader_can_use(value: float, text: str) -> None:
    assert number(value) == text


def test_a_share_that_is_not_zero_is_not_spelled_as_zero() -> None:
    shares = (0, 0.000129, 0.000403, 0.0004999, 0.0005, 0.0625, 1e-9)
    assert [percent(share, 1) for share in shares] == [
        "0.0 %", "0.013 %", "0.04 %", "0.05 %", "0.1 %", "6.2 %", "1e-07 %",
    ]  # fmt: skip
    assert [percent(share, 0) for share in (0, 0.004, 0.006)] == ["0 %", "0.4 %", "1 %"]
    assert percent(0.000129) == "0.0129 %"


def test_numbers_have_four_digits() -> None:
    assert [short(x) for x in (None, 0.0, 1.09, 0.94004, 0.0000439, 51_899.0, -1234.5)] == [
        "", "0", "1.09", "0.94", "4.39e-05", "51,899", "-1,234",
    ]  # fmt: skip


def test_whole_numbers_are_grouped_by_thousands() -> None:
    assert [integer(x) for x in (None, 0, 999, 1_234_567)] == ["", "0", "999", "1,234,567"]


def test_headlines_are_what_is_wanted_or_else_what_comes_first() -> None:
    assert headline_metrics(("b", "a"), ("a", "b", "c")) == ["b", "a"]
    assert headline_metrics(("x", "c"), ("a", "b", "c")) == ["c"]
    assert headline_metrics(("x", "y"), ("a", "b", "c")) == ["a", "b"]


def test_names_with_the_same_line_share_it() -> None:
    assert agreeing([("a", 1), ("b", 2), ("c", 1)]) == [("a, c", 1), ("b", 2)]
