"""Tables of numbers by hand: grouping, marks, empty cells, categories, sizes."""

from dataclasses import replace
from pathlib import Path

import pytest
from tokbench_views.metric_tables import Family, family, show

from tests.tiny import BPE, LISTED, tiny_run
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


def test_systems_are_compared_by_size(tmp_path: Path) -> None:
    """Tokens of `ab abd c abc ab`: at size 4 ab|d and ab|c, at 5 only ab|d, by letters 11."""
    assert table(tiny_run(tmp_path), "fertility") == [
        ["system", "4", "5", "one size only"],
        ["bpe", "1.400", "1.200", ""],
        ["char", "", "", "2.200"],
        ["word", "1.000", "1.000", ""],
    ]


def test_systems_that_agree_share_a_row(tmp_path: Path) -> None:
    twin = "{name: twin, learner: {use: bpe, eow: absent, merge: list}}"
    run = tiny_run(tmp_path, systems=f"[{BPE}, char, {twin}]")
    assert [row[0] for row in table(run, "fertility")[1:]] == ["bpe, twin", "char"]


def test_what_is_the_same_for_all_is_one_line(tmp_path: Path) -> None:
    text = written(tiny_run(tmp_path), "oov-words-running", "oov")
    assert "\n*held-out*, all words: 0.200 (1 of 5 in 1 line) for every system.\n" in text
    assert "\n*held-out*, unseen words: 1.000 for every system.\n" in text
    assert tables(text) == []


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


def test_a_section_without_metrics_is_left_out(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, metrics="[fertility]")
    assert family(run, "boundaries", "Boundaries") == ""


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


def test_unseen_words_are_left_out_where_none_are(tmp_path: Path) -> None:
    text = written(tiny_run(tmp_path, texts={"test": "ab abc\n"}), "fertility")
    assert "*held-out*, all words" in text
    assert "unseen" not in text


def test_merges_are_columns_of_their_own(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes=None, merges="[2, 0, 10]")
    assert table(run, "fertility") == [
        ["system", "merges:0", "merges:2", "merges:10", "one size only"],
        ["bpe", "2.200", "1.200", "1.200", ""],
        ["char", "", "", "", "2.200"],
    ]


def test_a_list_without_categories_is_shown_by_size(tmp_path: Path) -> None:
    texts = {"novel": "abd\nabc\nbb\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics="[oov-words-distinct]")
    one, two = "0.333 (1 of 3 in 1 word)", "0.667 (all but 1 of 3 in 1 word)"
    text = written(run, "oov-words-distinct", "oov")
    assert tables(text[text.index("*novel*") :])[0] == [
        ["system", "4", "5", "one size only"],
        ["bpe", one, one, ""],
        ["char", "", "", one],
        ["word", two, two, ""],
    ]


def test_lists_are_scored_where_there_is_no_text(tmp_path: Path) -> None:
    corpora = "{train: train.txt, lists: {novel: novel.txt}}"
    texts = {"novel": "abd\nabc\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=corpora, metrics="[fertility]")
    assert table(run, "fertility")[1] == ["bpe", "2.000", "1.500", ""]


def test_boundaries_are_shown_on_gold_words(tmp_path: Path) -> None:
    """The boundary of ab|c is found at size 4, missed by abc, and one of two by letters."""
    texts = {"novel": "bb\n", "gold": "abc\tab c\n"}
    metrics = "[boundary-precision-micro]"
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics=metrics)
    text = written(run, "boundary-precision-micro", "boundaries")
    assert "*parts*, all words\n" in text
    assert "held-out" not in text
    assert tables(text)[0] == [
        ["system", "4", "5", "one size only"],
        ["bpe", "1.000", "", ""],
        ["char", "", "", "0.500 (1 of 2 in 1 word)"],
        ["word", "", "", ""],
    ]


def test_the_meaning_and_direction_of_a_metric_are_reported(tmp_path: Path) -> None:
    assert written(tiny_run(tmp_path), "fertility").startswith(
        "\nThe mean number of tokens to a running word, bare marks included. Lower is better.\n\n"
        "Formula: tokens / running words\n"
    )
