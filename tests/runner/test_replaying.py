"""Which systems one replay serves, and what becomes of those that it cannot."""

from pathlib import Path

from tests.tiny import BPE, tiny_run
from tokbench.run_folder import Run
from tokbench.run_folder.curves import write_curves

WRONG = """
from tokbench.api import States, hookimpl
import tokbench_bpe
Bpe = tokbench_bpe.tokbench_segmenters()["bpe"]
class Wrong(Bpe):
    "Say that nothing ever changes."
    def timeline(self, words, prepared, since=0):
        states = super().timeline(words, prepared, since)
        return States(**{**vars(states), "until": [u + 1 for u in states.until]})
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
import tokbench_bpe
class Last(tokbench_bpe.tokbench_learners()["bpe"]):
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


def of_all_sizes(run: Run) -> list[str]:
    """Name the systems whose states are kept once for all sizes."""
    return [name for name, arrays in run.states.items() if "held-out/since" in arrays]


def test_a_wrong_timeline_fails_the_system_once_and_no_other(tmp_path: Path) -> None:
    wrong = "{name: wrong, learner: {use: bpe, eow: absent}, segmenter: wrong}"
    run = tiny_run(tmp_path, WRONG, systems=f"[{BPE}, {wrong}]")
    message = "system wrong: in its timeline the states of 'ab' leave a gap between 1 and 2 learned"
    assert run.record.failures == (message,)
    assert {row.system for row in run.rows if row.value is not None} == {"bpe"}


def test_a_segmenter_that_gives_no_timeline_is_asked_at_each_size(tmp_path: Path) -> None:
    other = "{name: other, learner: {use: bpe, eow: absent}, segmenter: unwilling}"
    run = tiny_run(tmp_path, WRONG, systems=f"[{BPE}, {other}]")
    assert run.record.failures == ()
    assert of_all_sizes(run) == ["bpe"]
    assert values(run, "other") == values(run, "bpe")
    segmented = [c.size for c in run.record.cost if (c.system, c.step) == ("other", "segment")]
    assert segmented == ["4", "5"]


def test_where_a_cut_renumbers_tokens_each_size_is_segmented_anew(tmp_path: Path) -> None:
    last = "{name: last, learner: {use: last, eow: absent}, segmenter: bpe}"
    run = tiny_run(tmp_path, LAST, systems=f"[{BPE}, {last}]")
    assert of_all_sizes(run) == ["bpe"]
    assert values(run, "last") == values(run, "bpe")
    assert {run.vocabulary("last", size).unknown for size in ("4", "5")} == {4, 5}


def test_the_reason_why_there_is_no_curve_is_the_true_one(tmp_path: Path) -> None:
    last = "{name: last, learner: {use: last, eow: absent}, segmenter: bpe}"
    sizes = "{from: 4, to: 5, curve: true}"
    run = tiny_run(tmp_path, LAST, systems=f"[{BPE}, {last}]", sizes=sizes)
    (note,) = [note for note in run.record.notes if "no curve" in note]
    assert note == "system last: no curve: cutting its vocabulary gives tokens other ids"
    other = "{name: other, learner: {use: bpe, eow: absent}, segmenter: unwilling}"
    run = tiny_run(tmp_path, WRONG, systems=f"[{BPE}, {other}]", sizes=sizes)
    (note,) = [note for note in run.record.notes if "no curve" in note]
    assert note == "system other: no curve: its segmenter gives no timeline"


def test_curves_are_the_same_bytes_again(tmp_path: Path) -> None:
    files = []
    for name in ("one", "two"):
        run = tiny_run(
            tmp_path, systems=f"[{BPE}, word]", sizes="{from: 1, to: 9, curve: true}", metrics=None
        )
        assert run.curves
        write_curves(tmp_path / name, run.curves)
        files.append((tmp_path / name).read_bytes())
    assert files[0] == files[1]
