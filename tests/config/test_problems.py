from pathlib import Path

import pytest

from tokbench.config.problems import ConfigError, Problem, as_error, pointed


@pytest.mark.parametrize(
    ("source", "column", "indent"),
    [
        ("name: x", 7, 6),
        ("\tname: x", 8, 8),  # the tab is shown as two characters
        ("가나: x", 5, 6),  # a wide letter takes two columns of a terminal
        ("e\u0301: x", 5, 3),  # a combining mark takes none
    ],
)
def test_the_caret_stands_below_the_character(source, column, indent):
    assert pointed(source, column).split("\n")[2] == " " * (4 + indent) + "^"


def test_a_long_line_is_cropped_around_the_place():
    _, line, caret = pointed("a" * 500 + "b" + "c" * 500, 501).split("\n")
    assert len(line) < 110
    assert line[len(caret) - 1] == "b"
    assert (line.strip()[0], line[-1]) == ("…", "…")


def test_all_problems_become_one_error_in_the_order_of_the_file():
    problems = [Problem((), "later", index=2), Problem((), "first", index=0)]
    error = as_error(Path("c.yaml"), "a\nb", [*problems, problems[0]])
    assert str(error) == "c.yaml:1:1: first\n    a\n    ^\nc.yaml:2:1: later\n    b\n    ^"
    assert isinstance(error, ConfigError)
