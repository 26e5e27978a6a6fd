"""Tokens that never come, on worked examples: from a run folder's health.csv, read as a table."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import TinyRun, tiny_run
from tokbench.api import BOW, EOW, Marks, Vocabulary


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


def test_a_letter_without_a_mark_needs_another_behind_it(tmp_path: Path) -> None:
    """Of ab only ab</w> is emitted. Alone, a is a</w> and b is b</w>; a needs a letter behind."""
    run = tiny_run(
        tmp_path, texts={"train": "ab ab ab\n", "test": "x\n"}, sizes="[5]",
        systems="[{name: bpe, learner: bpe}]", metrics="[fertility]",
    )  # fmt: skip
    letters = rows(run, "bpe", "5")["alphabet"]
    assert (letters["tokens"], letters["never-training"], letters["never-test"]) == (4, 4, 4)
    assert letters["unreachable"] == 0


def vocabulary_of(folder: Path, vocabulary: Vocabulary) -> str:
    """Write a vocabulary, and return the system that uses it."""
    (folder / "v.json").write_text(vocabulary.to_json(), encoding="utf-8")
    return "[{name: v, learner: {use: vocabulary, path: v.json}}]"


def test_a_letter_of_the_middle_needs_letters_on_both_sides(tmp_path: Path) -> None:
    marks = Marks.model_validate({"bow": "fused", "eow": "fused"})
    tokens = (f"{BOW}a", "a", f"a{EOW}", f"{BOW}a{EOW}", f"{BOW}b", f"b{EOW}")
    vocabulary = Vocabulary(tokens, marks=marks, segmenter={"use": "longest-match"})
    run = tiny_run(
        tmp_path, texts={"train": "b\n", "test": "x\n"}, sizes=None, metrics="[fertility]",
        systems=vocabulary_of(tmp_path, vocabulary),
    )  # fmt: skip
    (found,) = rows(run, "v").values()
    assert (found["tokens"], found["never-training"], found["unreachable"]) == (6, 6, 0)


def test_in_context_a_token_may_begin_with_a_space(tmp_path: Path) -> None:
    """Of the tokens with a space, ` ab` comes from its own text, and `b c` from none."""
    plugin = (Path(__file__).parent.parent / "plugin_in_context.py").read_text("utf-8")
    run = tiny_run(
        tmp_path, plugin, texts={"train": "ab b\n", "test": "c\n"}, sizes=None,
        systems='[{learner: {use: ready, tokens: [a, b, c, " ", ab, " ab", b c]}}]',
        metrics="[fertility]",
    )  # fmt: skip
    found = rows(run, "ready")["learned"]
    assert (found["tokens"], found["emitted-training"], found["unreachable"]) == (3, 1, 1)
    assert json.loads(found["worst"])[0] == "b c"


AFTER_A_SPACE = """

class AfterSpace(Spaced):
    "Know words only behind a space."

    def add(self, tokens, text, start, prepared):
        if text[0] == " ":
            tokens.append((prepared.ids[" "], start, start + 1))
        known = prepared.ids.get(text[1:], -1) if text[0] == " " else -1
        tokens.append((known, start + (text[0] == " "), start + len(text)))


@hookimpl(specname="tokbench_segmenters")
def more_segmenters():
    return {"after-space": AfterSpace}
"""


def test_in_context_a_token_may_stand_behind_a_space(tmp_path: Path) -> None:
    plugin = (Path(__file__).parent.parent / "plugin_in_context.py").read_text("utf-8")
    plugin = plugin.replace("@hookimpl\ndef tokbench_segmenters", AFTER_A_SPACE + "\n\ndef unused")
    run = tiny_run(
        tmp_path, plugin, texts={"train": "c\n", "test": "c\n"}, sizes=None, metrics="[fertility]",
        systems='[{learner: {use: ready, segmenter: after-space, tokens: [a, b, " ", ab]}}]',
    )  # fmt: skip
    found = rows(run, "ready")["learned"]
    assert (found["tokens"], found["never-training"], found["unreachable"]) == (1, 1, 0)


def test_bytes_and_special_tokens_stand_apart(tmp_path: Path) -> None:
    """A letter that is known comes from its own text, its byte never; special tokens neither."""
    vocabulary = Vocabulary(
        ("<s>", "<0x61>", "<0xC3>", "<0xA9>", "a", "b", "ab"),
        bytes={1: 0x61, 2: 0xC3, 3: 0xA9},
        special=(0,),
        segmenter={"use": "longest-match"},
    )
    run = tiny_run(
        tmp_path, texts={"train": "ab é\n", "test": "b\n"}, sizes=None, metrics="[fertility]",
        systems=vocabulary_of(tmp_path, vocabulary),
    )  # fmt: skip
    found = rows(run, "v")
    assert {kind: one["tokens"] for kind, one in found.items()} == {
        "learned": 1, "alphabet": 2, "byte": 3, "special": 1,
    }  # fmt: skip
    assert found["special"]["never-training"] is found["special"]["any"] is None
    byte = found["byte"]
    # The bytes of é are no whole character, so they have no text to be tried.
    assert (byte["emitted-training"], byte["cuts-characters"], byte["unreachable"]) == (0, 2, 1)
    assert json.loads(byte["worst"]) == ["<0x61>", "<0xA9>", "<0xC3>"]
    assert byte["residues"] is byte["near-duplicates"] is None
    assert found["alphabet"]["unreachable"] == 0


def test_words_that_are_too_rare_to_learn_from_are_not_counted(tmp_path: Path) -> None:
    """docs/run.md says so: with `min-word-count: 2` the training text is ab twice."""
    run = tiny_run(
        tmp_path, texts={"train": "ab ab ac\n", "test": "x\n"}, sizes="[4]", metrics="[fertility]",
        corpora="{train: {path: train.txt, min-word-count: 2}, test: {held-out: test.txt}}",
        systems="[{name: bpe, learner: {use: bpe, eow: absent}}]",
    )  # fmt: skip
    found = rows(run, "bpe", "4")
    assert found["learned"]["emitted-training"] == 1
    assert found["alphabet"]["emitted-training"] == 0


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
    assert {row.analysis for row in run.analyses} == {"health", "numbers"}


def test_the_file_is_read_again_as_it_was(tmp_path: Path) -> None:
    from tokbench import Run
    from tokbench.run_folder.folder import write_run

    run = tiny_run(tmp_path, metrics="[fertility]")
    write_run(tmp_path / "out", run)
    again = Run.load(tmp_path / "out")
    assert again.analyses == run.analyses
    frames = [again.frame(name) for name in ("health", "numbers")]
    assert sum(map(len, frames)) == len(run.analyses) > 20
