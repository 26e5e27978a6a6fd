"""Tokens that never come, on worked examples: from a run folder's health.csv, read as a table."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tokbench_bpe.segmenters import LongestMatch
from tokbench_health.token_flags import TokenFlags

from tests.tiny import tiny_run
from tokbench import Run
from tokbench.api import Marks, Vocabulary
from tokbench.api.arrays import UsedVocabulary
from tokbench.api.text import BOW, EOW
from tokbench.cut import BoundSegmenter
from tokbench.run_folder.folder import write_run

IN_CONTEXT = (Path(__file__).parents[1] / "plugin_in_context.py").read_text("utf-8")
BPE = "[{name: bpe, learner: {use: bpe, eow: absent}}]"
LOADED = "[{name: v, learner: {use: vocabulary, path: v.json}}]"


def health(
    folder: Path, system: str, size: str = "", plugin: str = "", **keys: Any
) -> dict[str, dict[str, Any]]:
    """Run, and return the rows of a system and size by kind of token."""
    run = tiny_run(folder, plugin, **{"metrics": "[fertility]", "sizes": None, **keys})
    return {
        str(row.cells["kind"]): dict(row.cells)
        for row in run.analyses
        if (row.analysis, row.system, row.size) == ("health", system, size)
    }


def health_of(folder: Path, vocabulary: Vocabulary, train: str, test: str) -> dict[str, Any]:
    """Run a vocabulary, cut by longest match, as the system v."""
    vocabulary = replace(vocabulary, segmenter={"use": "longest-match"})
    (folder / "v.json").write_text(vocabulary.to_json(), encoding="utf-8")
    return health(folder, "v", texts={"train": train, "test": test}, systems=LOADED)


def test_residues_are_learned_and_never_emitted(tmp_path: Path) -> None:
    """abc is learned as a + bc; bc never occurs in the training text without its a."""
    texts = {"train": "abc abc abc\n", "test": "ab abc\n"}
    rows = health(tmp_path, "bpe", "5", texts=texts, systems=BPE, sizes="[5]")
    assert [*rows] == ["learned", "alphabet"]
    learned = rows["learned"]
    assert (learned["tokens"], learned["emitted-training"], learned["never-training"]) == (2, 1, 1)
    assert (learned["residues"], learned["never-test"], learned["unreachable"]) == (1, 1, 0)
    assert json.loads(learned["worst"]) == ["bc"]
    letters = rows["alphabet"]
    assert (letters["tokens"], letters["never-training"], letters["never-test"]) == (3, 3, 1)
    assert letters["residues"] is None
    assert letters["unreachable"] == 0, "a letter comes from itself"


def test_a_token_that_no_word_can_hold_is_unreachable(tmp_path: Path) -> None:
    tokens = ("a", "b", "c", "bc", "ab", "abc", "d e", "bb")
    rows = health_of(tmp_path, Vocabulary(tokens, ("a", "b", "c")), "abc a\n", "abc cab\n")
    learned = rows["learned"]
    # ab is emitted on the test, bc and bb from their own text; no word holds `d e`.
    assert (learned["tokens"], learned["unreachable"], learned["never-test"]) == (5, 1, 3)
    assert json.loads(learned["worst"])[0] == "d e"
    assert learned["residues"] == 4


def test_a_letter_without_a_mark_needs_another_behind_it(tmp_path: Path) -> None:
    """Of ab only ab</w> is emitted. Alone, a is a</w> and b is b</w>; a needs a letter behind."""
    texts = {"train": "ab ab ab\n", "test": "x\n"}
    letters = health(tmp_path, "bpe", "5", texts=texts, systems="[bpe]", sizes="[5]")["alphabet"]
    assert (letters["tokens"], letters["never-training"], letters["never-test"]) == (4, 4, 4)
    assert letters["unreachable"] == 0


def test_a_letter_of_the_middle_needs_letters_on_both_sides(tmp_path: Path) -> None:
    marks = Marks.model_validate({"bow": "fused", "eow": "fused"})
    tokens = (f"{BOW}a", "a", f"a{EOW}", f"{BOW}a{EOW}", f"{BOW}b", f"b{EOW}")
    (row,) = health_of(tmp_path, Vocabulary(tokens, marks=marks), "b\n", "x\n").values()
    assert (row["tokens"], row["never-training"], row["unreachable"]) == (6, 6, 0)


def test_a_splitter_of_the_system_leaves_nothing_proved(tmp_path: Path) -> None:
    """What the splitter would make of a text is not known."""
    texts = {"train": "abc abc abc\n", "test": "ab\n"}
    systems = "[bpe, {name: split, learner: {use: bpe}, split: words}]"
    for system, unreachable in (("bpe", 0), ("split", None)):
        learned = health(tmp_path, system, "8", texts=texts, systems=systems, sizes="[8]")[
            "learned"
        ]
        assert (learned["unreachable"], learned["not-found"]) == (unreachable, 0)


def test_tokens_may_hold_spaces_where_words_do(tmp_path: Path) -> None:
    vocabulary = Vocabulary(("a", "b", " ", "a b", "b a"), segmenter={"use": "longest-match"})
    bound = BoundSegmenter(LongestMatch(), vocabulary)
    proofs = partial(bound.segmenter.proofs, prepared=bound.prepared)
    for characters, expected in (("ab", [2, 3, 4]), ("ab ", [])):
        used = UsedVocabulary("", vocabulary, None, None, characters, False, bound.tokens, proofs)
        unreachable = TokenFlags.of(used).unreachable
        assert unreachable is not None
        assert unreachable.nonzero()[0].tolist() == expected, "a word may begin with a space"


def test_in_context_a_token_may_begin_with_a_space(tmp_path: Path) -> None:
    """Of the tokens with a space, ` ab` comes from its own text, and `b c` from none."""
    learned = health(
        tmp_path, "ready", plugin=IN_CONTEXT, texts={"train": "ab b\n", "test": "c\n"},
        systems='[{learner: {use: ready, tokens: [a, b, c, " ", ab, " ab", b c]}}]',
    )["learned"]  # fmt: skip
    assert (learned["tokens"], learned["emitted-training"], learned["unreachable"]) == (3, 1, None)
    # Its text alone, behind a space, beside 3 letters (a, b and c), and between two of them.
    assert (learned["not-found"], learned["trials"]) == (1, 2 + 3 + 3 + 9)
    assert json.loads(learned["worst"])[0] == "b c"


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
    hook = "@hookimpl\ndef tokbench_segmenters"
    learned = health(
        tmp_path, "ready", plugin=IN_CONTEXT.replace(hook, AFTER_A_SPACE + "\n\ndef unused"),
        texts={"train": "c\n", "test": "c\n"},
        systems='[{learner: {use: ready, segmenter: after-space, tokens: [a, b, " ", ab]}}]',
    )["learned"]  # fmt: skip
    assert (learned["tokens"], learned["never-training"], learned["not-found"]) == (1, 1, 0)
    assert learned["trials"] is None


def test_bytes_and_special_tokens_stand_apart(tmp_path: Path) -> None:
    """A letter that is known comes from its own text, its byte never; special tokens neither."""
    vocabulary = Vocabulary(
        ("<s>", "<0x61>", "<0xC3>", "<0xA9>", "a", "b", "ab"),
        bytes={1: 0x61, 2: 0xC3, 3: 0xA9},
        special=(0,),
    )
    rows = health_of(tmp_path, vocabulary, "ab é\n", "b\n")
    assert {kind: row["tokens"] for kind, row in rows.items()} == {
        "learned": 1, "alphabet": 2, "byte": 3, "special": 1,
    }  # fmt: skip
    assert rows["special"]["never-training"] is rows["special"]["any"] is None
    byte = rows["byte"]
    # The bytes of é are no whole character, so they have no text to be tried.
    assert (byte["emitted-training"], byte["cuts-characters"], byte["unreachable"]) == (0, 2, 1)
    assert json.loads(byte["worst"]) == ["<0x61>", "<0xA9>", "<0xC3>"]
    assert byte["residues"] is byte["near-duplicates"] is None
    assert rows["alphabet"]["unreachable"] == 0


def test_words_that_are_too_rare_to_learn_from_are_not_counted(tmp_path: Path) -> None:
    """docs/reference/run.md says so: with `min-word-count: 2` the training text is ab twice."""
    texts = {"train": "ab ab ac\n", "test": "x\n"}
    rows = health(
        tmp_path, "bpe", "4", texts=texts, sizes="[4]", systems=BPE,
        corpora="{train: {path: train.txt, min-word-count: 2}, test: {held-out: test.txt}}",
    )  # fmt: skip
    assert rows["learned"]["emitted-training"] == 1
    assert rows["alphabet"]["emitted-training"] == 0


def test_near_duplicates_differ_by_case_or_a_space(tmp_path: Path) -> None:
    texts = {"train": "low Low LOW new\n", "test": "low\n"}
    learned = health(tmp_path, "word", "4", texts=texts, sizes="[4]", systems="[word]")["learned"]
    assert learned["near-duplicates"] == 2
    assert learned["any"] == 2


def test_without_a_training_text_nothing_is_said_of_it(tmp_path: Path) -> None:
    rows = health(
        tmp_path, "utf8-bytes", texts={"test": "ab\n"}, systems="[utf8-bytes]", baseline=None,
        corpora="{test: {held-out: test.txt}}",
    )  # fmt: skip
    for row in rows.values():
        assert row["emitted-training"] is row["never-training"] is row["residues"] is None
        assert row["never-test"] == 254


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
    run = tiny_run(tmp_path, metrics="[fertility]")
    write_run(tmp_path / "out", run)
    again = Run.load(tmp_path / "out")
    assert again.analyses == run.analyses
    frames = [again.frame(name) for name in ("health", "numbers")]
    assert sum(map(len, frames)) == len(run.analyses) > 20
