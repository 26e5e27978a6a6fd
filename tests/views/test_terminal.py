"""The short table: headline metrics of each system at its largest size."""

from pathlib import Path

import pytest
from tokbench_views.terminal import summary

from tests.tiny import BPE, LISTED, tiny_run

METRICS = "[tokens, kept-whole-running, fertility, boundary-f1-micro]"


def test_headline_metrics_are_shown_whatever_else_is_measured(tmp_path: Path) -> None:
    texts = {"novel": "abd\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics=METRICS)
    assert summary(run) == (
        "system  |V|  fertility  kept-whole-running  boundary-f1-micro\n"
        "bpe     5    1.200      0.800               0.000\n"
        "char    3    2.200      0.200               0.667\n"
        "word    4    1.000      0.800               0.000\n"
        "(fertility, kept-whole-running: held-out; boundary-f1-micro: parts)"
    )


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
    names = ["tokens", "chars-per-token", "bytes-per-token", "vocabulary-use", "round-trip"]
    metrics = f"[{', '.join([*names, 'attention-cost'])}]"
    run = tiny_run(tmp_path, systems=f"[{BPE}]", metrics=metrics)
    assert summary(run) == (
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
    """All letters are known, so that no word is oov but for whole words, which are not compared."""
    metrics = "[oov-words-running, fertility]"
    run = tiny_run(tmp_path, texts=UNSEEN, metrics=metrics, gate="0.01")
    assert summary(run) == (
        "system  |V|  tokens an unseen word  fertility\n"
        "bpe     5    2.000                  1.200\n"
        "char    3    3.000                  2.600\n"
        "word    4    1.000†                 1.000†\n"
        "(tokens an unseen word, fertility: held-out)\n"
        "(†: more than 1 % of the words are unknown or lossy: not comparable)"
    )


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
