"""Tokens that never come, on worked examples: from a run folder's health.csv, read as a table."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import TinyRun, tiny_run


def rows(run: TinyRun, system: str, size: str = "") -> dict[str, dict[str, Any]]:
    """Return the rows of a system and size by kind of token."""
    found = (row for row in run.analyses if row.analysis == "health")
    return {
        str(row.cells["kind"]): dict(row.cells)
        for row in found
        if (row.system, row.size) == (system, size)
    }


def test_residues_are_learned_and_never_emitted(tmp_path: Path) -> None:
    """abc is learned as a + bc; bc never occurs in the training text without its a."""
    run = tiny_run(
        tmp_path, texts={"train": "abc abc abc\n", "test": "ab abc\n"}, sizes="[5]",
        systems="[{name: bpe, learner: {use: bpe, eow: absent}}]", metrics="[fertility]",
    )  # fmt: skip
    found = rows(run, "bpe", "5")
    assert [*found] == ["learned", "alphabet"]
    learned = found["learned"]
    assert (learned["tokens"], learned["emitted-training"], learned["never-training"]) == (2, 1, 1)
    assert (learned["residues"], learned["never-test"], learned["unreachable"]) == (1, 1, 0)
    assert json.loads(learned["worst"]) == ["bc"]
    letters = found["alphabet"]
    assert (letters["tokens"], letters["never-training"], letters["never-test"]) == (3, 3, 1)
    assert letters["residues"] is None
    assert letters["unreachable"] == 0, "a letter comes from itself"


def test_a_token_that_no_word_can_hold_is_unreachable(tmp_path: Path) -> None:
    vocabulary = {
        "format": 1,
        "tokens": ["a", "b", "c", "bc", "ab", "abc", "d e", "bb"],
        "alphabet": ["a", "b", "c"],
        "learned": [],
        "marks": {},
        "special": [],
        "unknown": None,
        "bytes": {},
        "segmenter": {"use": "longest-match"},
        "extra": {},
    }
    (tmp_path / "v.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    run = tiny_run(
        tmp_path, texts={"train": "abc a\n", "test": "abc cab\n"}, sizes=None,
        systems="[{name: v, learner: {use: vocabulary, path: v.json}}]", metrics="[fertility]",
    )  # fmt: skip
    learned = rows(run, "v")["learned"]
    # ab is emitted on the test, bc and bb from their own text; no word holds `d e`.
    assert (learned["tokens"], learned["unreachable"], learned["never-test"]) == (5, 1, 3)
    assert json.loads(learned["worst"])[0] == "d e"
    assert learned["residues"] == 4


def test_marks_decide_where_a_token_may_stand(tmp_path: Path) -> None:
    """b without a mark needs a letter behind it: with </w> fused, b alone is b</w>."""
    run = tiny_run(
        tmp_path, texts={"train": "ab ab ba\n", "test": "aa\n"}, sizes="[5]",
        systems="[{name: bpe, learner: bpe}]", metrics="[fertility]",
    )  # fmt: skip
    letters = rows(run, "bpe", "5")["alphabet"]
    assert letters["tokens"] == 4
    assert letters["unreachable"] == 0


def test_bytes_and_special_tokens_stand_apart(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path, texts={"train": "ab ab ba\n", "test": "é\n"}, sizes="[260]",
        systems="[{name: bytes, learner: byte-bpe}, utf8-bytes]", metrics="[fertility]",
    )  # fmt: skip
    found = rows(run, "utf8-bytes")
    assert sum(one["tokens"] for one in found.values()) == 256
    assert sum(one["cuts-characters"] for one in found.values()) == 128, "bytes from 80 on"
    assert {one["residues"] for kind, one in found.items() if kind != "learned"} <= {None}


def test_near_duplicates_differ_by_case_or_a_space(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path, texts={"train": "low Low LOW new\n", "test": "low\n"}, sizes="[4]",
        systems="[word]", metrics="[fertility]",
    )  # fmt: skip
    learned = rows(run, "word", "4")["learned"]
    assert learned["near-duplicates"] == 2
    assert learned["any"] == 2


def test_without_a_training_text_nothing_is_said_of_it(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path, texts={"test": "ab\n"}, sizes=None, systems="[utf8-bytes]", baseline=None,
        metrics="[fertility]", corpora="{test: {held-out: test.txt}}",
    )  # fmt: skip
    for one in rows(run, "utf8-bytes").values():
        assert one["emitted-training"] is one["never-training"] is one["residues"] is None
        assert one["never-test"] == 254


BAD = {
    "[{'x': 1}]": "a row holds {'x': 1}, not the columns ['n']",
    "[{'n': 'one'}]": "'n' holds 'one', expected a number",
    "[{'n': float('nan')}]": "'n' holds nan, expected a number",
    "[7]": "a row holds 7, not the columns",
    "1 / 0": "ZeroDivisionError",
}


@pytest.mark.parametrize("returned", BAD)
def test_an_analysis_that_fails_costs_only_itself(tmp_path: Path, returned: str) -> None:
    plugin = (
        "from tokbench.api import Analysis, hookimpl\n\n\nclass Bad(Analysis):\n"
        "    columns = {'n': 'number'}\n\n"
        f"    def rows(self, used):\n        return {returned}\n\n\n"
        'tokbench_analyses = hookimpl(lambda: {"bad": Bad})\n'
    )
    run = tiny_run(tmp_path, plugin, metrics="[fertility]", systems="[char]", sizes=None)
    (failure,) = run.failures
    assert failure.startswith("system char: analysis bad: ")
    assert BAD[returned] in failure
    assert run.record.analyses["bad"] == {"n": "number"}
    assert {row.analysis for row in run.analyses} == {"health"}


def test_the_file_is_read_again_as_it_was(tmp_path: Path) -> None:
    from tokbench import Run
    from tokbench.run_folder.folder import write_run

    run = tiny_run(tmp_path, metrics="[fertility]")
    write_run(tmp_path / "out", run)
    again = Run.load(tmp_path / "out")
    assert again.analyses == run.analyses
    assert len(again.frame("health")) == len(run.analyses) > 2
