"""Which systems one replay serves, and what becomes of those that it cannot."""

from pathlib import Path

from tests.cut.test_timeline import segmented
from tests.tiny import BPE, scored, tiny_run

WRONG = """
from tokbench.api import hookimpl
from tokbench.api.arrays import Timeline
from tokbench_bpe.segmenters import BpeRank as Bpe
class Wrong(Bpe):
    "Say that nothing ever changes."
    def timeline(self, words, prepared, since=0):
        states = super().timeline(words, prepared, since)
        return Timeline(**{**vars(states), "until": [u + 1 for u in states.until]})
class Unwilling(Bpe):
    "Give no timeline after all."
    def timeline(self, words, prepared, since=0):
        return None
@hookimpl
def tokbench_segmenters():
    return {"wrong": Wrong, "unwilling": Unwilling}
"""
LAST = """
from dataclasses import replace
from tokbench.api import hookimpl
from tokbench_bpe.learner import Bpe
class Last(Bpe):
    "Put the unknown token behind the learned ones."
    def learn(self, words, size):
        found = super().learn(words, size)
        tokens = (*found.tokens, "<unk>")
        return replace(found, tokens=tokens, unknown=len(tokens) - 1)
@hookimpl
def tokbench_learners():
    return {"last": Last}
"""


def values(run, system):
    return [
        (row.size, row.metric, row.subset, row.value, row.low, row.high)
        for row in run.rows
        if row.system == system
    ]


def test_a_wrong_timeline_fails_the_system_once_and_no_other(tmp_path: Path) -> None:
    wrong = "{name: wrong, learner: {use: bpe, eow: absent}, segmenter: wrong}"
    run = tiny_run(tmp_path, WRONG, systems=f"[{BPE}, {wrong}]")
    message = "system wrong: in its timeline the states of 'ab' leave a gap between 1 and 2 learned"
    assert run.failures == (message,)
    assert scored(run) == {"bpe"}


def test_a_segmenter_that_gives_no_timeline_is_asked_at_each_size(tmp_path: Path) -> None:
    other = "{name: other, learner: {use: bpe, eow: absent}, segmenter: unwilling}"
    run = tiny_run(tmp_path, WRONG, systems=f"[{BPE}, {other}]")
    assert run.failures == ()
    assert segmented(run, "bpe") == [""]
    assert segmented(run, "other") == ["4", "5"]
    assert values(run, "other") == values(run, "bpe")


def test_where_a_cut_renumbers_tokens_each_size_is_segmented_anew(tmp_path: Path) -> None:
    last = "{name: last, learner: {use: last, eow: absent}, segmenter: bpe}"
    run = tiny_run(tmp_path, LAST, systems=f"[{BPE}, {last}]")
    assert segmented(run, "bpe") == [""]
    assert segmented(run, "last") == ["4", "5"]
    assert values(run, "last") == values(run, "bpe")
    assert [run.vocabulary("last", size).unknown for size in ("4", "5")] == [4, 5]


def test_the_reason_why_there_is_no_curve_is_the_true_one(tmp_path: Path) -> None:
    last = "{name: last, learner: {use: last, eow: absent}, segmenter: bpe}"
    sizes = "{from: 4, to: 5, curve: true}"
    run = tiny_run(tmp_path, LAST, systems=f"[{BPE}, {last}]", sizes=sizes)
    (note,) = [note for note in run.notes if "no curve" in note]
    assert note == "system last: no curve: its tokens get other ids when its vocabulary is cut"
    other = "{name: other, learner: {use: bpe, eow: absent}, segmenter: unwilling}"
    run = tiny_run(tmp_path, WRONG, systems=f"[{BPE}, {other}]", sizes=sizes)
    (note,) = [note for note in run.notes if "no curve" in note]
    assert note == "system other: no curve: its segmenter has no timeline"
