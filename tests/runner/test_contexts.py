"""Runs of tokenizers of lines: in context, alone, both; and what learners may read."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import (
    LISTED,
    TinyRun,
    learned,
    row,
    scored,
    signature,
    tiny_run,
)

PLUGIN = (Path(__file__).parent.parent / "plugin_in_context.py").read_text("utf-8")
METRICS = "[oov-words-running, fertility, tokens, outside-tokens]"
BOTH = "[{learner: ready, context: both}]"
KEYS = {"sizes": None, "metrics": METRICS}


def values(run: TinyRun, subset: str = "all") -> dict[tuple[str, str, str], float | None]:
    return {
        (row.system, row.context, row.metric): row.value
        for row in run.rows
        if row.subset == subset and row.corpus == "held-out"
    }


def row_of(run: TinyRun, metric: str, context: str, system: str = "ready") -> Any:
    return row(run, system, metric, context=context)


# The test text is `ab abd c / abc ab`. In context ` abd` and ` ab` are known with the space before
# them, ` c` is a space and c: ab| abd| |c and a|b|c| ab, so 7 tokens in 5 words, and one outside.
# Alone abd is a|b|d, whose d is unknown: 9 tokens.
IN_CONTEXT = {
    ("ready", "in-context", "oov-words-running"): 0,
    ("ready", "in-context", "fertility"): 7 / 5,
    ("ready", "in-context", "tokens"): 8,
    ("ready", "in-context", "outside-tokens"): 1 / 8,
}
ISOLATED = {
    ("ready", "isolated", "oov-words-running"): 1 / 5,
    ("ready", "isolated", "fertility"): 9 / 5,
    ("ready", "isolated", "tokens"): 9,
}


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("", IN_CONTEXT),
        (", context: in-context", IN_CONTEXT),
        (", context: isolated", ISOLATED),
        (", context: both", {**IN_CONTEXT, **ISOLATED}),
    ],
)
def test_lines_are_cut_as_the_config_says(
    tmp_path: Path, context: str, expected: dict[tuple[str, str, str], float]
) -> None:
    run = tiny_run(tmp_path, PLUGIN, systems=f"[{{learner: ready{context}}}]", **KEYS)
    assert not run.failures
    defined = {key: value for key, value in values(run).items() if value is not None}
    assert defined == expected


def test_words_alone_are_compared_with_words_in_context(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, PLUGIN, systems="[char, {learner: ready, context: both}]", **KEYS)
    in_context, alone = (row_of(run, "fertility", c, "ready") for c in ("in-context", "isolated"))
    assert (in_context.baseline, alone.baseline) == ("char", "ready")
    assert alone.difference == pytest.approx(9 / 5 - 7 / 5)
    assert in_context.difference == pytest.approx(7 / 5 - 11 / 5)
    assert signature(run, in_context) != signature(run, alone)
    ready = dict.fromkeys(row.context for row in run.rows if row.system == "ready")
    assert [*ready] == ["in-context", "isolated"], "what is compared stands behind"


def test_a_baseline_in_context_serves_others(tmp_path: Path) -> None:
    """Nothing is compared with what stands beside the baseline."""
    run = tiny_run(tmp_path, PLUGIN, systems="[{learner: ready, context: both}, char]", **KEYS)
    row = row_of(run, "fertility", "isolated", "char")
    assert row.baseline == "ready"
    assert row.difference == pytest.approx(11 / 5 - 7 / 5)


def test_lists_and_gold_are_cut_alone_and_once(tmp_path: Path) -> None:
    texts = {"novel": "abd\n ab\n", "gold": "abd\tab d\n"}
    run = tiny_run(
        tmp_path, PLUGIN, texts, systems=BOTH,
        corpora=LISTED, sizes=None, metrics="[fertility, boundary-f1-micro]",
    )  # fmt: skip
    assert not run.failures
    listed = [r for r in run.rows if r.corpus in ("novel", "parts") and r.subset == "all"]
    assert {(r.corpus, r.context, r.metric) for r in listed} == {
        ("novel", "isolated", "fertility"),
        ("parts", "isolated", "fertility"),
        ("parts", "isolated", "boundary-f1-micro"),
        ("parts", "isolated", "boundary-f1-chance"),
    }
    assert len(listed) == 4
    assert {r.value for r in listed if r.corpus == "novel"} == {2}


def test_words_cannot_be_cut_in_context(tmp_path: Path) -> None:
    systems = "[{name: mine, learner: char, context: both}, word]"
    run = tiny_run(tmp_path, PLUGIN, systems=systems, sizes="[5]")
    (failure,) = run.failures
    message = "`context: both` asks for whole lines, but its segmenter cuts words"
    assert failure == f"system mine: {message}"
    assert scored(run) == {"word"}


def test_a_system_with_a_splitter_of_its_own_is_cut_alone(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, PLUGIN, systems="[{learner: ready, split: whitespace}]", **KEYS)
    assert {row.context for row in run.rows} == {"isolated"}
    assert row_of(run, "fertility", "isolated").value == 9 / 5


def test_all_sizes_are_cut_in_context(tmp_path: Path) -> None:
    """Of a vocabulary that is cut, though its segmenter could replay words alone."""
    run = tiny_run(
        tmp_path, PLUGIN, systems="[pairs]", sizes="[4, 5, 7]", metrics="[fertility, tokens]"
    )
    assert not run.failures
    assert {row.context for row in run.rows} == {"in-context"}
    numbers = {(r.size, r.metric): r.value for r in run.rows if r.subset == "all"}
    # Letters; then ab (twice: ` ab` is not known, so it falls to letters); then ` ab` and abc.
    assert numbers == {
        ("4", "fertility"): 11 / 5,
        ("4", "tokens"): 14,
        ("5", "fertility"): 10 / 5,
        ("5", "tokens"): 13,
        ("7", "fertility"): 7 / 5,
        ("7", "tokens"): 9,
    }


def test_a_learner_reads_normalised_lines_again_and_again(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path, PLUGIN, {"train": "AB c\r\n\n  \nab  ABC\nab c\n"}, systems="[by-lines]",
        corpora="{train: {path: train.txt, normalise: [lowercase]}, test: test.txt}", sizes="[9]",
    )  # fmt: skip
    assert not run.failures
    assert learned(run)["by-lines@9"].tokens == ("ab c", "ab  abc")


def test_lines_are_read_whatever_min_word_count_says(tmp_path: Path) -> None:
    corpora = "{train: {path: train.txt, min-word-count: 2}, test: test.txt}"
    run = tiny_run(tmp_path, PLUGIN, systems="[by-lines]", corpora=corpora, sizes="[9]")
    assert learned(run)["by-lines@9"].tokens == ("ab ab ab ab abc abc b c",)


def test_a_pipe_is_scored_in_its_lines(tmp_path: Path) -> None:
    """A test text is read only once, so it may come from a pipe."""
    reading, writing = os.pipe()
    os.write(writing, b"ab abd c\nabc ab\n")
    os.close(writing)
    run = tiny_run(
        tmp_path, PLUGIN, systems="[ready, char]",
        corpora=f"{{train: train.txt, test: {{held-out: /dev/fd/{reading}}}}}", **KEYS,
    )  # fmt: skip
    os.close(reading)
    assert not run.failures
    assert scored(run) == {"ready", "char"}


def test_a_system_compared_with_itself_is_no_family_of_those_compared_with_the_baseline(
    tmp_path: Path,
) -> None:
    """Holm's correction multiplies by the number of differences in a family: by one in each."""
    texts = {"test": "ab abd c\nabc ab\n" * 20}
    systems = "[{name: whole, learner: word}, {learner: ready, context: both}]"
    run = tiny_run(tmp_path, PLUGIN, texts, systems=systems, **{**KEYS, "sizes": "[4]"})
    for context in ("in-context", "isolated"):
        compared = row_of(run, "fertility", context)
        assert compared.p is not None
        assert compared.p_holm == compared.p
