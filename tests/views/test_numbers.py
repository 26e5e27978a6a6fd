"""Tables of numbers by hand: grouping, marks, empty cells, categories, sizes."""

from dataclasses import replace
from pathlib import Path

import pytest
from tokbench_views.metric_tables import Family, family, show

from tests.tiny import BPE, tiny_run
from tokbench.run_folder import Run
from tokbench.run_folder.tables import Row

from .markdown import Table, section, tables

ROW = Row(
    system="char", corpus="held-out", subset="all", context="isolated", size="",
    vocabulary_size=26, metric="fertility", value=2.5, low=2.25, high=2.75,
    baseline="bpe@4000", difference=1.0, p_holm=0.02,
)  # fmt: skip


def written(run: Run, metric: str, name: Family = "segmentation") -> str:
    return section(family(run, name, "Title"), metric)


def table(run: Run, metric: str, name: Family = "segmentation") -> Table:
    return tables(written(run, metric, name))[0]


def test_a_value_is_shown_with_its_mark_and_interval() -> None:
    assert show(ROW) == "2.500 ▲ (2.250–2.750)"
    assert show(replace(ROW, difference=-1.0)) == "2.500 ▼ (2.250–2.750)"
    assert show(ROW, intervals=False) == "2.500 ▲"
    assert show(replace(ROW, low=None, high=None)) == "2.500 ▲"


@pytest.mark.parametrize(("p_holm", "mark"), [(None, ""), (0.05, ""), (1.0, ""), (0.0499, " ▲")])
def test_only_what_holds_after_holm_is_marked(p_holm: float | None, mark: str) -> None:
    assert show(replace(ROW, p_holm=p_holm), intervals=False) == f"2.500{mark}"


def test_what_is_undefined_is_empty() -> None:
    assert show(replace(ROW, value=None)) == ""


def test_a_system_is_undefined_where_others_are_not(tmp_path: Path) -> None:
    """All tokens of `aa a` are a by letters: of one type, entropy has no share of its maximum."""
    run = tiny_run(
        tmp_path,
        texts={"train": "aa aa a\n", "test": "aa a\n"},
        systems=f"[{BPE}, char]",
        sizes="[2]",
        metrics="[shannon-efficiency-observed]",
    )
    assert table(run, "shannon-efficiency-observed") == [
        ["system", "2", "one size only"],
        ["bpe", "1.000", ""],
        ["char", "", ""],
    ]


def test_a_metric_without_any_value_has_no_table(tmp_path: Path) -> None:
    texts = {"test": "a b c\n"}
    run = tiny_run(tmp_path, texts=texts, metrics="[single-characters, fertility]")
    text = family(run, "segmentation", "Title")
    assert "### fertility" in text
    assert "single-characters" not in text


@pytest.mark.parametrize(("resamples", "mark"), [("39", ""), ("40", " ▲")])
def test_marks_need_enough_resamples(tmp_path: Path, resamples: str, mark: str) -> None:
    """Every line costs letters 5 tokens and BPE 3: p is 2 / (resamples + 1), 0.05 for 39."""
    run = tiny_run(
        tmp_path,
        texts={"test": "ab abc\n" * 20},
        systems=f"[{BPE}, char]",
        sizes="[4]",
        metrics="[fertility]",
        resamples=resamples,
    )
    assert table(run, "fertility") == [
        ["system", "4", "one size only"],
        ["bpe", "1.500 (1.500–1.500)", ""],
        ["char", "", f"2.500{mark} (2.500–2.500)"],
    ]


def test_a_lower_value_is_marked_downwards(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": "ab abc\n" * 20},
        systems=f"[char, {BPE}]",
        sizes="[4]",
        metrics="[fertility]",
    )
    assert table(run, "fertility")[2][1] == "1.500 ▼ (1.500–1.500)"


def test_unseen_words_are_left_out_where_all_are_unseen(tmp_path: Path) -> None:
    text = written(tiny_run(tmp_path, texts={"test": "abd dd\n"}), "fertility")
    assert "*held-out*, all words" in text
    assert "unseen" not in text


def test_merges_are_columns_of_their_own(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes=None, merges="[2, 0, 10]")
    assert table(run, "fertility") == [
        ["system", "merges:0", "merges:2", "merges:10", "one size only"],
        ["bpe", "2.200", "1.200", "1.200", ""],
        ["char", "", "", "", "2.200"],
    ]
