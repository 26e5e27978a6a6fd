"""Values by metric, system and size: one table a metric, a corpus, or a curve."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tokbench_views.metric_tables import Family, corpus_tables, curve_tables, family, spread
from tokbench_views.metric_tables import show as show_in
from tokbench_views.report import details

from tests.tiny import BPE, tiny_run
from tokbench.run_folder import Run
from tokbench.run_folder.tables import Row

from .markdown import Table, section, tables

ROW = Row(
    system="char", corpus="held-out", subset="all", context="isolated", size="",
    vocabulary_size=26, metric="fertility", value=2.5, low=2.25, high=2.75,
    baseline="bpe@4000", difference=1.0, p_holm=0.02,
)  # fmt: skip


Show = Callable[..., str]


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Show:
    """Show a row in a run whose `bpe` has no mark, and `marked` has one."""
    systems = f"[{BPE}, {{name: marked, learner: bpe}}]"
    return partial(show_in, tiny_run(tmp_path_factory.mktemp("run"), systems=systems, sizes="[9]"))


def written(run: Run, metric: str, name: Family = "segmentation") -> str:
    return section(family(run, name, "Title"), metric)


def table(run: Run, metric: str, name: Family = "segmentation") -> Table:
    return tables(written(run, metric, name))[0]


def test_a_value_is_shown_with_its_mark_and_interval(show: Show) -> None:
    assert show(ROW) == "2.500 ▲ (2.250–2.750)"
    assert show(replace(ROW, difference=-1.0)) == "2.500 ▼ (2.250–2.750)"
    assert show(ROW, intervals=False) == "2.500 ▲"
    assert show(replace(ROW, low=None, high=None)) == "2.500 ▲"


@pytest.mark.parametrize(("p_holm", "mark"), [(None, ""), (0.05, ""), (1.0, ""), (0.0499, " ▲")])
def test_only_what_holds_after_holm_is_marked(show: Show, p_holm: float | None, mark: str) -> None:
    assert show(replace(ROW, p_holm=p_holm), intervals=False) == f"2.500{mark}"


def test_what_is_undefined_is_empty(show: Show) -> None:
    assert show(replace(ROW, value=None)) == ""


@pytest.mark.parametrize(
    ("system", "metric", "context", "sign"),
    [
        ("bpe", "fertility", "isolated", "‡"),
        ("bpe", "fertility", "in-context", ""),
        ("bpe", "oov-words-running", "isolated", ""),
        ("marked", "fertility", "isolated", ""),
    ],
)
def test_a_length_without_word_ends_has_a_sign(
    show: Show, system: str, metric: str, context: str, sign: str
) -> None:
    row = replace(ROW, system=system, size="9", metric=metric, context=context)
    assert show(row, intervals=False) == f"2.500{sign} ▲"


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
    assert "(fertility)\n" in text
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
        ["bpe", "1.500‡ (1.500–1.500)", ""],
        ["char", "", f"2.500‡{mark} (2.500–2.500)"],
    ]


def test_a_lower_value_is_marked_downwards(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": "ab abc\n" * 20},
        systems=f"[char, {BPE}]",
        sizes="[4]",
        metrics="[fertility]",
    )
    assert table(run, "fertility")[2][1] == "1.500‡ ▼ (1.500–1.500)"


def test_unseen_words_are_left_out_where_all_are_unseen(tmp_path: Path) -> None:
    text = written(tiny_run(tmp_path, texts={"test": "abd dd\n"}), "fertility")
    assert "*held-out*, all words" in text
    assert "unseen" not in text


def test_merges_are_columns_of_their_own(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes=None, merges="[2, 0, 10]")
    assert table(run, "fertility") == [
        ["system", "merges:0", "merges:2", "merges:10", "one size only"],
        ["bpe", "2.200‡", "1.200‡", "1.200‡", ""],
        ["char", "", "", "", "2.200‡"],
    ]


def test_systems_stand_at_the_largest_size_that_half_of_them_share(tmp_path: Path) -> None:
    """Three of four systems have 4, two have 5: half as many as most, so 5 is common."""
    systems = (
        f"[{BPE}, {{name: two, learner: {{use: bpe, eow: absent}}}}, "
        "{name: small, learner: {use: bpe, eow: absent}, sizes: [4]}, char]"
    )
    run = tiny_run(tmp_path, systems=systems)
    (table,) = tables(corpus_tables(run))
    assert table[0] == ["system", "tokens per word"]
    assert [row[0] for row in table[1:]] == ["bpe@5, two@5", "small@4", "char"]


def test_what_all_share_is_named_below(tmp_path: Path) -> None:
    """All letters of the gold word are known to both, and cut alone every word is one more."""
    texts = {"gold": "abc\tab c\n"}
    corpora = "{train: train.txt, test: {held-out: test.txt}, gold: {parts: gold.txt}}"
    run = tiny_run(
        tmp_path, texts=texts, corpora=corpora, systems=f"[{BPE}, char]", sizes="[4]",
        metrics="[unknown-characters, fertility, tokens]",
    )  # fmt: skip
    text = corpus_tables(run)
    assert "\nThe same for all, or as another: characters it cannot write " in text


CURVES = "## Curves: every vocabulary size"


def test_without_curves_there_is_no_section(tmp_path: Path) -> None:
    run = tiny_run(tmp_path)
    assert curve_tables(run) == ""
    assert CURVES not in details(run)


def test_a_curve_is_not_shown_beyond_the_range_asked_for(tmp_path: Path) -> None:
    """The other's vocabulary goes on growing above 4; only what is saturated is continued."""
    short = "{name: short, learner: {use: bpe, eow: absent}, sizes: {from: 3, to: 4, curve: true}}"
    run = tiny_run(
        tmp_path,
        systems=f"[{BPE}, {short}, word]",
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
    by_merges = "{name: m, learner: {use: bpe, eow: absent}, merges: {from: 0, to: 2, curve: true}}"
    run = tiny_run(
        tmp_path,
        systems=f"[{BPE}, {by_merges}]",
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
    assert curve_tables(run).endswith(
        "\n**words split into characters**: undefined at every size.\n"
    )


def test_where_there_is_no_curve_the_section_says_why(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes="{from: 1, to: 2, curve: true}")
    assert curve_tables(run) == (
        f"\n{CURVES}\n\n"
        "There are none on held-out: no vocabulary is that small, "
        "or the notes above give the reason.\n"
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
