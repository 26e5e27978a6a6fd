"""How numbers are spelled, which metrics are headlines, and which lines are joined."""

import pytest
from tokbench_views.shared import agreeing, headline_metrics
from tokbench_views.spelling import number, short, whole


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
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


def test_numbers_have_four_digits() -> None:
    assert [short(x) for x in (None, 0.0, 1.09, 0.94004, 0.0000439, 51_899.0, -1234.5)] == [
        "", "0", "1.09", "0.94", "4.39e-05", "51,899", "-1,234",
    ]  # fmt: skip


def test_whole_numbers_are_grouped_by_thousands() -> None:
    assert [whole(x) for x in (None, 0, 999, 1_234_567)] == ["", "0", "999", "1,234,567"]


def test_headlines_are_what_is_wanted_or_else_what_comes_first() -> None:
    assert headline_metrics(("b", "a"), ("a", "b", "c")) == ["b", "a"]
    assert headline_metrics(("x", "c"), ("a", "b", "c")) == ["c"]
    assert headline_metrics(("x", "y"), ("a", "b", "c")) == ["a", "b"]


def test_names_with_the_same_line_share_it() -> None:
    assert agreeing([("a", 1), ("b", 2), ("c", 1)]) == [("a, c", 1), ("b", 2)]
