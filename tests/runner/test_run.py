"""Whole runs in this process: sizes, baselines, failures, and where rows are left out."""

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import (
    BPE,
    LISTED,
    TinyRun,
    documents,
    learned,
    prepare,
    scored,
    steps,
    tiny_run,
)

approx = partial(pytest.approx, rel=1e-11)  # numbers have 12 digits, p-values 6
six_digits = partial(pytest.approx, rel=5e-6)
NOT_CLOSED = """
from tokbench.api import Learner, SizeError, Vocabulary, hookimpl
class Open(Learner):
    "Know the first words; a size from 9 on does not exist, and 4 fails."
    def learn(self, words, size):
        if size.total >= 9:
            raise SizeError("too much", 1)
        if size.total == 4:
            raise ValueError("no luck")
        return Vocabulary(tuple(words)[:size.total], segmenter={"use": "word"})
@hookimpl
def tokbench_learners():
    return {"open": Open}
"""


def rows(
    run: TinyRun, metric: str = "fertility", subset: str = "all"
) -> dict[tuple[str, str], Any]:
    return {
        (row.system, row.size): row
        for row in run.rows
        if (row.metric, row.subset) == (metric, subset)
    }


def test_every_system_and_size_has_its_rows_and_differences_by_hand(tmp_path: Path) -> None:
    """ab abd c abc ab are 7 tokens with ab, 6 with abc too, 11 letters, 5 words."""
    by_system = rows(tiny_run(tmp_path))
    assert {key: (row.value, row.n, row.vocabulary_size) for key, row in by_system.items()} == {
        ("bpe", "4"): (7 / 5, 5, 4),
        ("bpe", "5"): (6 / 5, 5, 5),
        ("char", ""): (11 / 5, 5, 3),
        ("word", "4"): (1, 5, 4),
        ("word", "5"): (1, 5, 4),
    }
    row = by_system["word", "4"]
    assert (row.corpus, row.context) == ("held-out", "isolated")
    # Each is compared with the baseline at its size.
    compared = {key: (row.baseline, row.difference) for key, row in by_system.items()}
    assert compared == {
        ("bpe", "4"): (None, None),
        ("bpe", "5"): (None, None),
        ("char", ""): ("bpe@5", approx(11 / 5 - 6 / 5, rel=1e-11)),
        ("word", "4"): ("bpe@4", approx(1 - 7 / 5, rel=1e-11)),
        ("word", "5"): ("bpe@5", approx(1 - 6 / 5, rel=1e-11)),
    }


def test_without_sizes_the_largest_listed_one_is_the_baseline(tmp_path: Path) -> None:
    """The text allows 5 tokens, so 100 and 5 are the same vocabulary; the listed one is named."""
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes="[4, 5, 100]")
    assert rows(run)["char", ""].baseline == "bpe@100"
    assert (
        "system bpe at size 100: the text gives only 5 tokens (2 learned)" in run.record.unreached
    )


def test_sizes_with_the_same_reason_share_a_note(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, word]", sizes="[5, 100, 200]", resamples="1000")
    assert [*run.record.unreached] == [
        "system bpe: sizes 100, 200: the text gives only 5 tokens (2 learned)",
        "system word: sizes 5, 100, 200: the text gives only 4 tokens (4 learned)",
    ]
    # Tables of the report show the sizes that were not reached.
    assert "the text gives only" not in documents(run)["report.md"]


def test_a_baseline_without_sizes_serves_every_size(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[char, {BPE}]")
    assert {key: row.baseline for key, row in rows(run).items()} == {
        ("char", ""): None,
        ("bpe", "4"): "char",
        ("bpe", "5"): "char",
    }


def test_a_size_that_the_baseline_lacks_is_not_compared(tmp_path: Path) -> None:
    other = "{name: other, learner: {use: bpe, eow: absent, merge: list}, sizes: [3]}"
    systems = f"[{BPE}, {other}]"
    row = rows(tiny_run(tmp_path, systems=systems))["other", "3"]
    assert (row.value, row.baseline, row.difference) == (11 / 5, None, None)
    experiment, *_ = prepare(tmp_path, systems=systems)
    (warning,) = experiment.warnings
    assert warning == "system other: not compared at 3, where the baseline bpe has no such size"


def test_where_no_size_reaches_the_alphabet_one_note_says_so(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[char, {BPE}]", sizes="[1, 2]")
    assert {system for system, _ in rows(run)} == {"char"}
    notes = [note for note in run.notes if note.startswith("system bpe")]
    assert notes == [
        "system bpe: sizes 1, 2: left out: size 2 is below the alphabet of 3 symbols (of 3"
        " letters); take a larger size"
    ]
    assert [row.status for row in run.rows if row.system == "bpe"] == [
        "left out: its smallest vocabulary has 3 tokens"
    ] * 2
    assert run.failures == ()


def test_what_cannot_be_cut_is_learned_once_a_size_and_fails_alone(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, NOT_CLOSED, systems="[open]", sizes="[1, 2, 4, 9]")
    assert list(rows(run)) == [("open", "1"), ("open", "2")]
    assert {name: v.tokens for name, v in learned(run).items()} == {
        "open@1": ("ab",),
        "open@2": ("ab", "abc"),
    }
    assert run.failures == ("system open at size 4: ValueError: no luck (plugin.py:9)",)
    note = "system open at size 9: left out: its smallest vocabulary has 1 tokens"
    assert [n for n in run.notes if n.startswith("system")] == [note]


def test_what_can_be_cut_is_learned_once(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}, char]")
    assert {name: v.size for name, v in learned(run).items()} == {"bpe": 5, "char": 3}
    assert steps(run) == [
        ("bpe", "learn", "5"),
        ("bpe", "segment", ""),
        ("bpe", "score", "4"),
        ("bpe", "score", "5"),
        ("bpe", "tokens of the training text", ""),
        ("bpe", "analysis health", "4"),
        ("bpe", "analysis numbers", "4"),
        ("bpe", "analysis health", "5"),
        ("bpe", "analysis numbers", "5"),
        ("char", "learn", ""),
        ("char", "segment", ""),
        ("char", "score", ""),
        ("char", "tokens of the training text", ""),
        ("char", "analysis health", ""),
        ("char", "analysis numbers", ""),
    ]


SLOW = """
import time
from tokbench.api import Learner, hookimpl

class Slow(Learner):
    "Take some time, then fail."
    def learn(self, words, size):
        time.sleep(0.05)
        raise ValueError("no idea")

tokbench_learners = hookimpl(lambda: {"slow": Slow})
"""


def test_steps_are_kept_in_order_with_their_seconds_and_megabytes(tmp_path: Path) -> None:
    """Also one that fails."""
    begin = time.perf_counter()
    cost = tiny_run(tmp_path, SLOW, systems="[slow, word]", sizes="[4]").record.cost
    elapsed = time.perf_counter() - begin
    first_steps = [(step.system, step.step, step.size) for step in cost[:2]]
    assert first_steps == [("slow", "learn", "4"), ("word", "learn", "4")]
    assert 0.05 <= cost[0].seconds < elapsed
    assert all(0 <= step.seconds < elapsed for step in cost)
    # Python with NumPy takes some tens of megabytes, and the tests no gigabytes.
    assert all(20 < step.peak_mb < 10_000 for step in cost)


def test_a_baseline_that_fails_leaves_comparisons_empty(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, NOT_CLOSED, systems="[open, char, word]", sizes="[4]")
    assert run.failures == ("system open at size 4: ValueError: no luck (plugin.py:9)",)
    assert "the baseline open has no results: nothing is compared with it" in run.notes
    compared = [(r.baseline, r.difference, r.p, r.p_holm) for r in run.rows]
    assert set(compared) == {(None, None, None, None)}
    assert scored(run) == {"char", "word"}
    assert all(row.value is not None for row in rows(run).values())


def test_without_a_baseline_nothing_is_compared(tmp_path: Path) -> None:
    texts = {"test": "ab abc\n" * 20}
    run = tiny_run(tmp_path, texts=texts, baseline="null")
    assert {(row.baseline, row.difference, row.p) for row in run.rows} == {(None, None, None)}
    assert not [note for note in run.notes if "baseline" in note]


def test_differences_are_paired_and_corrected_by_size(tmp_path: Path) -> None:
    """Of 20 equal lines every resample is the same: p is 2/101, times 2 systems at size 6."""
    twin = "{name: twin, learner: bpe, sizes: [6, 8]}"
    texts = {"test": "ab abc\n" * 20}
    systems = f"[word, bpe, {twin}, utf8-bytes]"
    run = tiny_run(tmp_path, texts=texts, systems=systems, sizes="[6, 7]")
    by_system = rows(run)
    assert by_system["bpe", "6"].p == by_system["twin", "6"].p == six_digits(2 / 101)
    assert by_system["bpe", "6"].p_holm == by_system["twin", "6"].p_holm == six_digits(4 / 101)
    assert by_system["bpe", "7"].p_holm == by_system["utf8-bytes", ""].p_holm == six_digits(2 / 101)
    assert (by_system["twin", "8"].p, by_system["word", "6"].p) == (None, None)
    bpe = by_system["bpe", "7"]
    assert (bpe.difference_low, bpe.difference, bpe.difference_high) == (1, 1, 1)


def test_metrics_of_lines_have_no_value_on_lists_and_gold(tmp_path: Path) -> None:
    texts = {"novel": "abd\tblend\nabc\tname\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems="[char]", metrics="all")
    metrics = {name: {r.metric for r in run.rows if r.corpus == name} for name in
               ("held-out", "novel", "parts")}  # fmt: skip
    lines = {"tokens", "attention-cost"}
    assert metrics["held-out"] - metrics["novel"] == lines
    assert not metrics["novel"] - metrics["held-out"]
    assert not metrics["parts"] & lines
    assert {name.split("-")[0] for name in metrics["parts"] - metrics["novel"]} == {
        "boundary",
        "exact",
        "morpheme",
    }


def test_what_depends_on_the_number_of_types_has_no_value_on_parts(tmp_path: Path) -> None:
    """A band of words has fewer tokens than all of them, so its distribution is another one."""
    run = tiny_run(tmp_path, metrics="[fertility, renyi-efficiency-declared, vocabulary-use]")
    subsets = {name: {r.subset for r in run.rows if r.metric == name} for name in
               ("fertility", "renyi-efficiency-declared", "vocabulary-use")}  # fmt: skip
    assert {"all", "unseen", "band:1"} < subsets["fertility"]
    assert subsets["renyi-efficiency-declared"] == subsets["vocabulary-use"] == {"all", "unseen"}


def test_lists_have_their_categories_as_subsets(tmp_path: Path) -> None:
    """By letters the blend abd has an unknown d, the name abc does not."""
    texts = {"novel": "abd\tblend\nabc\tname\n", "gold": "abc\tab c\n"}
    metrics = "[oov-words-distinct]"
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, systems="[char]", metrics=metrics)
    assert {r.subset: r.value for r in run.rows if r.corpus == "novel"} == {
        "all": 0.5,
        "unseen": 1,
        "band:2-5": 0,
        "category:blend": 1,
        "category:name": 0,
    }


def test_few_units_are_noted_once_for_all_corpora(tmp_path: Path) -> None:
    metrics = "[fertility, kept-whole-distinct]"
    novel = "".join(f"a{letter}\n" for letter in "cdefghijklmnopqrstuvw")
    texts = {"test": "ab abd\n" * 20, "novel": novel, "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics=metrics)
    assert [note for note in run.notes if note.startswith("corpora")] == [
        "corpora: no intervals and no p-values where there are fewer than 20 units: "
        "parts: all (1 line), all (1 word), unseen (0 lines), unseen (0 words)"
    ]
    lines = tiny_run(tmp_path, metrics="[fertility]")
    assert lines.notes[0].endswith("20 units: held-out: all (2 lines), unseen (1 line)")
    text = (r for r in run.rows if (r.system, r.corpus) == ("char", "held-out"))
    low = {(r.metric, r.subset): r.low for r in text if r.subset in ("all", "unseen")}
    assert low == {
        ("fertility", "all"): 2.5,
        ("fertility", "unseen"): 3,
        ("kept-whole-distinct", "all"): None,
        ("kept-whole-distinct", "unseen"): None,
    }


def test_progress_says_what_is_done_next(tmp_path: Path) -> None:
    messages: list[tuple[str, str | None, float]] = []
    tiny_run(
        tmp_path, systems=f"[{BPE}, char]", progress=lambda *message: messages.append(message)
    )  # fmt: skip
    assert messages == [
        ("bpe", "learning 5", 0),
        ("bpe", "segmenting", 0),
        ("bpe", "scoring 4, size 1 of 2", 0),
        ("bpe", "scoring 5, size 2 of 2", 0.5),
        ("bpe", "counting tokens in the training text", 1),
        ("bpe", None, 1),
        ("char", "learning", 0),
        ("char", "segmenting and scoring", 0),
        ("char", "counting tokens in the training text", 0),
        ("char", None, 1),
    ]


def test_what_is_learned_again_has_its_share_of_the_work(tmp_path: Path) -> None:
    """The whole text, two samples and one share of it: a quarter of the work each."""
    messages: list[tuple[str, str | None, float]] = []
    tiny_run(
        tmp_path, systems=f"[{BPE}]", sizes="[5]", texts={"train": "ab abc b c\n" * 4},
        **{"training-samples": "2", "training-shares": "[0.5, 1]"},
        progress=lambda *message: messages.append(message),
    )  # fmt: skip
    shares = [share for _, _, share in messages]
    assert shares == sorted(shares)
    begun = {step: share for _, step, share in reversed(messages) if step and "learning" in step}
    assert begun == {
        "learning 5": 0,
        "learning from training sample 1 of 2": 0.25,
        "learning from training sample 2 of 2": 0.5,
        "learning from training-share 0.5": 0.75,
    }


def test_the_same_seed_gives_the_same_rows(tmp_path: Path) -> None:
    texts = {"test": "".join(f"ab abc a{'c' * n}\n" for n in range(25))}
    first, again = (tiny_run(tmp_path, texts=texts, seed="1").rows for _ in range(2))
    other_seed = tiny_run(tmp_path, texts=texts, seed="2").rows
    assert first == again
    assert [row.value for row in first] == [row.value for row in other_seed]
    assert [row.low for row in first] != [row.low for row in other_seed]
