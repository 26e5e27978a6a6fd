"""Which metrics, sizes and rows are shown, and which lines are joined."""

from pathlib import Path

import pytest
from tokbench_views.shared import (
    agreeing,
    checked_name,
    common_size,
    headline_metrics,
    largest,
    rows_of,
)

from tests.tiny import BPE, tiny_run
from tokbench.api import UsageError


def test_headlines_are_what_is_wanted_or_else_what_comes_first() -> None:
    assert headline_metrics(("b", "a"), ("a", "b", "c")) == ["b", "a"]
    assert headline_metrics(("x", "c"), ("a", "b", "c")) == ["c"]
    assert headline_metrics(("x", "y"), ("a", "b", "c")) == ["a", "b"]


def test_names_with_the_same_line_share_it() -> None:
    assert agreeing([("a", 1), ("b", 2), ("c", 1)]) == [("a, c", 1), ("b", 2)]


def test_a_metric_may_lack_its_options_where_it_is_the_only_one_of_its_name() -> None:
    names = ["fertility", "nsl(of=bpe)", "parity(reference=en)", "parity(reference=de)"]
    assert checked_name("metric", "nsl", names) == "nsl(of=bpe)"
    assert checked_name("metric", "parity(reference=de)", names) == names[3]
    with pytest.raises(UsageError, match="'parity' is several metrics here, name one: parity"):
        checked_name("metric", "parity", names)


def test_the_common_size_is_the_largest_that_half_as_many_systems_have(tmp_path: Path) -> None:
    small = "{name: small, learner: {use: bpe, eow: absent}, sizes: [4]}"
    assert common_size(tiny_run(tmp_path, systems=f"[{BPE}, {small}, char]")) == "5"
    assert common_size(tiny_run(tmp_path, systems="[char]")) == ""


def test_of_rows_at_one_place_the_first_is_the_system_s_own(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems="[char]", metrics="[fertility, tokens]")
    rows = [row for row in run.rows if row.subset == "all"]
    by_metric = rows_of(largest(run), [*rows, *reversed(rows)], lambda row: row.metric)
    assert [*by_metric] == [("char", row.metric) for row in rows]
    assert [id(row) for row in by_metric.values()] == [id(row) for row in rows]
    twice = rows_of(largest(run), rows, lambda row: row.subset)
    assert [*twice.values()] == rows[:1]
