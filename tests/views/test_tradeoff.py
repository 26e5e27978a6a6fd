"""From characters to words: every figure of the table worked out by hand."""

from pathlib import Path

from tokbench_views.systems import tradeoff

from tests.tiny import BPE, tiny_run

from .markdown import tables


def test_the_largest_size_counts_whatever_the_order_of_sizes(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[5, 3, 4]")
    assert tables(tradeoff(run))[0][1][:3] == ["bpe@5", "5", "2"]


def test_without_a_text_or_a_system_there_is_no_table(tmp_path: Path) -> None:
    corpora = "{train: train.txt, lists: {novel: novel.txt}}"
    texts = {"novel": "abd\n"}
    listed = tiny_run(tmp_path, texts=texts, corpora=corpora, metrics="[fertility]")
    assert tradeoff(listed) == ""
    assert tradeoff(tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")) == ""
