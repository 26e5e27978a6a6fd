"""From characters to words: every figure of the table worked out by hand."""

from pathlib import Path

from tokbench_views.coverage import tradeoff

from tests.tiny import BPE, LISTED, tiny_run

from .markdown import tables

HEAD = ["system", "\\|V\\|", "learned (merges)", "oov words", "tokens per line", "kept whole"]


def test_what_each_system_costs_and_gains_at_its_largest_size(tmp_path: Path) -> None:
    """The lines `ab abd c` and `abc ab` have 6 and 5 characters, whose squares sum to 61.

    BPE: ab ab|d c, abc ab: 4 and 2 tokens, 20/61. Words: 3 and 2 tokens, 13/61; the text allows 4.
    abd is unknown to all, one of five words; letters keep only c whole, the others all but abd.
    """
    (table,) = tables(tradeoff(tiny_run(tmp_path)))
    assert table == [
        [*HEAD, "attention cost"],
        ["bpe@5", "5", "2", "20.0%", "3.000", "80.0%", "0.328"],
        ["char", "3", "0", "20.0%", "5.500", "20.0%", "1.000"],
        ["word@5", "4", "4", "20.0%", "2.500", "80.0%", "0.213"],
    ]


def test_the_largest_size_counts_whatever_the_order_of_sizes(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[5, 3, 4]")
    assert tables(tradeoff(run))[0][1][:3] == ["bpe@5", "5", "2"]


def test_merges_are_named_as_such(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes=None, merges="[1]")
    assert tables(tradeoff(run))[0][1][:3] == ["bpe@merges:1", "4", "1"]


def test_the_table_is_about_the_first_text(tmp_path: Path) -> None:
    texts = {"novel": "abd\n", "gold": "abc\tab c\n"}
    assert "\nOn held-out, each" in tradeoff(tiny_run(tmp_path, texts=texts, corpora=LISTED))


def test_without_a_text_or_a_system_there_is_no_table(tmp_path: Path) -> None:
    corpora = "{train: train.txt, lists: {novel: novel.txt}}"
    texts = {"novel": "abd\n"}
    listed = tiny_run(tmp_path, texts=texts, corpora=corpora, metrics="[fertility]")
    assert tradeoff(listed) == ""
    assert tradeoff(tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")) == ""
