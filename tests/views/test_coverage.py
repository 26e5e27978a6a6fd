"""The coverage gate by hand: clean, oov, and lossy where that differs."""

from pathlib import Path

from tokbench_views.coverage import coverage

from tests.tiny import BPE, LISTED, tiny_run

from .markdown import tables

LOWERED = """
from tokbench.api import Segmenter, hookimpl
class Lowered(Segmenter):
    "Cut into letters, each written by its small form."
    def segment(self, word, prepared):
        return [(letter.lower(), 1) for letter in word]
@hookimpl
def tokbench_segmenters():
    return {"lowered": Lowered}
"""


def test_a_corpus_whose_letters_are_known_is_clean(tmp_path: Path) -> None:
    (table,) = tables(coverage(tiny_run(tmp_path, texts={"test": "ab cab\n"}, systems="[char]")))
    assert table == [["system", "one size only"], ["char", "clean"]]


def test_words_with_an_unknown_token_are_counted_as_they_run(tmp_path: Path) -> None:
    """At size 3, word knows ab, abc and b: of ab abd c abc ab it lacks abd and c."""
    (table,) = tables(coverage(tiny_run(tmp_path, sizes="[3, 4]")))
    assert table == [
        ["system", "3", "4", "one size only"],
        ["bpe", "oov 20.00%", "oov 20.00%", ""],
        ["char", "", "", "oov 20.00%"],
        ["word", "oov 40.00%", "oov 20.00%", ""],
    ]


def test_systems_that_agree_at_every_size_share_a_row(tmp_path: Path) -> None:
    (table,) = tables(coverage(tiny_run(tmp_path)))
    assert [row[0] for row in table[1:]] == ["bpe, word", "char"]


def test_words_that_do_not_come_back_are_lossy_though_nothing_is_unknown(tmp_path: Path) -> None:
    """AB is written a b: known, but its ids give back ab. Ad is both lossy and unknown."""
    run = tiny_run(
        tmp_path,
        plugin=LOWERED,
        texts={"test": "ab AB Ad abc\n"},
        systems="[{name: lowered, learner: char, segmenter: lowered}, char]",
    )
    (table,) = tables(coverage(run))
    assert table[1:] == [["lowered", "oov 25.00%, lossy 50.00%"], ["char", "oov 50.00%"]]


def test_what_only_does_not_come_back_is_not_clean(tmp_path: Path) -> None:
    systems = "[{name: lowered, learner: char, segmenter: lowered}]"
    run = tiny_run(tmp_path, LOWERED, texts={"test": "ab AB\n"}, systems=systems)
    assert tables(coverage(run))[0][1] == ["lowered", "lossy 50.00%"]


def test_lists_and_gold_words_have_tables_of_their_own(tmp_path: Path) -> None:
    texts = {"novel": "abd\nabc\n", "gold": "abc\tab c\n"}
    text = coverage(tiny_run(tmp_path, texts=texts, corpora=LISTED, systems=f"[{BPE}]"))
    assert [line for line in text.split("\n") if line.startswith("**")] == [
        "**held-out**",
        "**novel**",
        "**parts**",
    ]
    assert [table[1][1] for table in tables(text)] == ["oov 20.00%", "oov 50.00%", "clean"]
