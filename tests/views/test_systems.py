"""What each system knows and costs: coverage, and the price of its vocabulary."""

from dataclasses import replace
from pathlib import Path

from tokbench_views.systems import coverage, health, tradeoff

from tests.tiny import BPE, tiny_run

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


def test_words_with_an_unknown_token_are_counted_as_they_run(tmp_path: Path) -> None:
    """At size 3, word knows ab, abc and b: of ab abd c abc ab it lacks abd and c."""
    (table,) = tables(coverage(tiny_run(tmp_path, sizes="[3, 4]")))
    assert table == [
        ["system", "3", "4", "one size only"],
        ["bpe", "cannot write 20.00%, word ends lost", "cannot write 20.00%, word ends lost", ""],
        ["char", "", "", "cannot write 20.00%, word ends lost"],
        ["word", "cannot write 40.00%", "cannot write 20.00%", ""],
    ]


def test_tokens_that_are_not_found_are_shown_with_their_trials(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems="[{name: bpe, learner: {use: bpe, eow: absent}}]", sizes="[4]")
    (row,) = (r for r in run.analyses if r.cells.get("kind") == "learned")
    unproved = row.cells | {"unreachable": None, "not-found": 1_000, "trials": 122}
    earlier = {name: cell for name, cell in row.cells.items() if name != "not-found"}
    for cells, shown in ((unproved, ["", "1,000 in 122 trials"]), (earlier, ["", "0"])):
        (table,) = tables(health(replace(run, analyses=(row._replace(cells=cells),))))
        assert table[0][5:7] == ["unreachable", "not found"]
        assert table[1][5:7] == shown


def test_words_that_do_not_come_back_are_lossy_though_nothing_is_unknown(tmp_path: Path) -> None:
    """AB is written a b: known, but its ids give back ab. Ad is both lossy and unknown."""
    run = tiny_run(
        tmp_path,
        plugin=LOWERED,
        texts={"test": "ab AB Ad abc\n"},
        systems="[{name: lowered, learner: char, segmenter: lowered}, char]",
    )
    (table,) = tables(coverage(run))
    assert table[1:] == [
        ["lowered", "cannot write 25.00%, lossy 50.00%, word ends lost"],
        ["char", "cannot write 50.00%, word ends lost"],
    ]


def test_what_only_does_not_come_back_is_not_clean(tmp_path: Path) -> None:
    systems = "[{name: lowered, learner: char, segmenter: lowered}]"
    run = tiny_run(tmp_path, LOWERED, texts={"test": "ab AB\n"}, systems=systems)
    assert tables(coverage(run))[0][1] == ["lowered", "lossy 50.00%, word ends lost"]


def test_the_largest_size_counts_whatever_the_order_of_sizes(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[5, 3, 4]")
    assert tables(tradeoff(run))[0][1][:3] == ["bpe@5", "5", "2"]


def test_without_a_text_or_a_system_there_is_no_table(tmp_path: Path) -> None:
    corpora = "{train: train.txt, lists: {novel: novel.txt}}"
    texts = {"novel": "abd\n"}
    listed = tiny_run(tmp_path, texts=texts, corpora=corpora, metrics="[fertility]")
    assert tradeoff(listed) == ""
    assert tradeoff(tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")) == ""
