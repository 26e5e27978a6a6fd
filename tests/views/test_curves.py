"""The section on curves: few sizes of each metric, on the first corpus, and where the rest is."""

from pathlib import Path

import pytest
from tokbench_views.metric_tables import curve_tables, spread
from tokbench_views.report import details

from tests.tiny import BPE, tiny_run

TITLE = "## Curves: every vocabulary size"


def test_without_curves_there_is_no_section(tmp_path: Path) -> None:
    run = tiny_run(tmp_path)
    assert curve_tables(run) == ""
    assert TITLE not in details(run)


def test_a_curve_is_not_shown_beyond_the_range_asked_for(tmp_path: Path) -> None:
    """The other's vocabulary goes on growing above 4; only what is saturated is continued."""
    other = "{name: short, learner: {use: bpe, eow: absent}, sizes: {from: 3, to: 4, curve: true}}"
    run = tiny_run(
        tmp_path,
        systems=f"[{BPE}, {other}, word]",
        sizes="{from: 3, to: 9, curve: true}",
        metrics="[fertility]",
    )
    assert curve_tables(run).endswith(
        "| system | 3 | 4 | 5 |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| bpe | 2.200 | 1.400 | 1.200 |\n"
        "| short | 2.200 | 1.400 |  |\n"
        "| word | 1.000 | 1.000 | 1.000 |\n"
    )


def test_merges_and_sizes_have_tables_of_their_own(tmp_path: Path) -> None:
    other = "{name: m, learner: {use: bpe, eow: absent}, merges: {from: 0, to: 2, curve: true}}"
    run = tiny_run(
        tmp_path,
        systems=f"[{BPE}, {other}]",
        sizes="{from: 3, to: 5, curve: true}",
        metrics="[fertility]",
    )
    assert curve_tables(run).endswith(
        "| system | 3 | 4 | 5 |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| bpe | 2.200 | 1.400 | 1.200 |\n"
        "\n"
        "| system | merges:0 | merges:1 | merges:2 |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| m | 2.200 | 1.400 | 1.200 |\n"
    )


def test_what_is_undefined_at_every_size_says_so(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": "c\n"},
        systems=f"[{BPE}]",
        sizes="{from: 3, to: 5, curve: true}",
        metrics="[single-characters]",
    )
    assert curve_tables(run).endswith("\n**single-characters**: undefined at every size.\n")


def test_where_there_is_no_curve_the_section_says_why(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes="{from: 1, to: 2, curve: true}")
    assert curve_tables(run) == (
        f"\n{TITLE}\n\n"
        "There are none: no vocabulary is that small, or the notes above give the reason.\n"
    )


@pytest.mark.parametrize(
    ("first", "last", "sizes"),
    [
        (1, 512, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]),
        (3, 6, [3, 4, 5, 6]),
        (0, 3, [0, 1, 2, 3]),
        (7, 7, [7]),
        (0, 0, [0]),
    ],
)
def test_sizes_are_spread_by_ratio(first: int, last: int, sizes: list[int]) -> None:
    assert spread(first, last) == sizes
