"""The short table: listed or headline metrics of each system at its largest size."""

from dataclasses import replace
from pathlib import Path

import pytest
from tokbench_page.data import page_data
from tokbench_views.metric_tables import corpus_tables
from tokbench_views.tables import chosen, summary
from tokbench_views.views import OneTable

from tests.tiny import BPE, LISTED, offering, tiny_run
from tokbench.api import Segmentation, WholeMetric


class States(WholeMetric):
    """Distinct cuts of words."""

    formula, range = "n", (0, float("inf"))

    def measure(self, segmentation: Segmentation) -> float:
        return float(len(segmentation.word))


def test_headline_metrics_are_shown_where_the_config_lists_none(tmp_path: Path) -> None:
    texts = {"novel": "abd\n", "gold": "abc\tab c\n"}
    for metrics in (None, "all"):
        run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems=f"[{BPE}]", metrics=metrics)
        assert summary(run).split("\n")[0].split() == [
            *("system", "|V|", "tokens", "an", "unseen", "word", "fertility", "kept-whole-running"),
            *("boundary-f1-micro", "boundary-kappa"),
        ]


def test_listed_metrics_are_shown_in_their_order(tmp_path: Path) -> None:
    """On the terminal, in the report, on the page and in `show table`, one's own too."""
    names = ["tokens", "chars-per-token", "states", "fertility"]
    run = tiny_run(tmp_path, offering(states=States), metrics=f"[{', '.join(names)}]")
    assert summary(run) == (
        "system  |V|  tokens  chars-per-token  states  fertility\n"
        "bpe     5    6.000   1.833            4.000   1.200\n"
        "char    3    11.000  1.000            4.000   2.200\n"
        "word    4    5.000   2.200            4.000   1.000\n"
        "(tokens, chars-per-token, states, fertility: held-out)"
    )
    assert "| system | tokens | chars-per-token | fertility |" in corpus_tables(run)
    assert "The same for all, or as another: states 4.000." in corpus_tables(run)
    assert [one["name"] for one in page_data(run)["metrics"]] == names
    table = chosen(run, OneTable())
    assert table.columns == names


def test_a_narrow_terminal_has_fewer_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tiny_run(tmp_path, metrics="[fertility, kept-whole-running]")
    monkeypatch.setenv("COLUMNS", "40")
    assert summary(run) == (
        "system  |V|  fertility\n"
        "bpe     5    1.200\n"
        "char    3    2.200\n"
        "word    4    1.000\n"
        "(fertility: held-out)\n"
        "(not shown, for lack of room: kept-whole-running)"
    )
    monkeypatch.setenv("COLUMNS", "5")
    assert summary(run).startswith("system  |V|  fertility\n"), "the first metric stays"
    monkeypatch.setenv("COLUMNS", "42")
    assert "kept-whole-running\n" in summary(run)


def test_without_headlines_the_first_metrics_are_shown(tmp_path: Path) -> None:
    """As of a run that does not say which metrics its config lists."""
    names = ["tokens", "chars-per-token", "bytes-per-token", "vocabulary-use", "round-trip"]
    metrics = f"[{', '.join([*names, 'attention-cost'])}]"
    run = tiny_run(tmp_path, systems=f"[{BPE}]", metrics=metrics)
    told = tuple(replace(metric, listed=False) for metric in run.record.metrics)
    assert summary(replace(run, record=replace(run.record, metrics=told))) == (
        "system  |V|  tokens  chars-per-token  bytes-per-token  vocabulary-use  round-trip\n"
        "bpe     5    6.000   1.833            1.833            0.600           0.800\n"
        f"({', '.join(names)}: held-out)"
    )


def test_undefined_is_empty(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        texts={"test": "a a\n"},
        systems="[char]",
        metrics="[shannon-efficiency-observed, tokens]",
    )
    assert summary(run).split("\n")[1].split() == ["char", "3", "2.000"]


def test_without_any_result_only_the_titles_are_left(tmp_path: Path) -> None:
    assert summary(tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")) == "system  |V|\n"


UNSEEN = {"test": "ab abc cab\nabc ab\n"}


def test_tokens_an_unseen_word_stand_where_all_agree_on_oov_words(tmp_path: Path) -> None:
    """All states are known, so that no word is oov but for whole words, which are not compared."""
    run = tiny_run(tmp_path, texts=UNSEEN, metrics=None, gate="0.01")
    assert summary(run) == (
        "system  |V|  tokens an unseen word  fertility  kept-whole-running\n"
        "bpe     5    2.000                  1.200      0.800\n"
        "char    3    3.000                  2.600      0.000\n"
        "word    4    1.000†                 1.000†     0.800\n"
        "(tokens an unseen word, fertility, kept-whole-running: held-out)\n"
        "(†: more than 1 % of the words are unknown or lossy: not comparable)"
    )
    listed = tiny_run(tmp_path, texts=UNSEEN, metrics="[oov-words-running, fertility]", gate="0.01")
    assert summary(listed).split("\n")[0].split()[2:] == ["oov-words-running", "fertility"]


def test_oov_words_stand_where_systems_differ(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, texts=UNSEEN, metrics="[oov-words-running, fertility]")
    assert summary(run).split("\n")[0].split() == [
        "system",
        "|V|",
        "oov-words-running",
        "fertility",
    ]


def test_for_word_all_is_the_classical_oov_rate(tmp_path: Path) -> None:
    """A vocabulary of all training words knows just the words that were seen."""
    run = tiny_run(
        tmp_path, texts=UNSEEN, systems="[word]", sizes="[4]",
        metrics="[oov-words-running, unseen-words-running, fertility, kept-whole-running]",
    )  # fmt: skip
    values = {(row.metric, row.subset): row.value for row in run.rows}
    for subset, rate in (("all", 1 / 5), ("unseen", 1), ("band:1", None), ("band:2-5", 0)):
        assert values.get(("oov-words-running", subset)) == rate
        assert values.get(("unseen-words-running", subset)) == rate
    assert values["fertility", "unseen"] == 1, "an unseen word is one unknown token"
    assert values["kept-whole-running", "unseen"] == 0
