"""The short table: headline metrics of each system at its largest size."""

from pathlib import Path

from tests.tiny import BPE, LISTED, tiny_run
from tokbench.report.documents import summary

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
