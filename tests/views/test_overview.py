"""Test that the report says what was compared, how to read it, and what went wrong."""

from pathlib import Path

import pytest
from tokbench_views.details import details
from tokbench_views.overview import overview, reading
from tokbench_views.report import report

from tests.tiny import BPE, LISTED, documents, tiny_run

from .markdown import code_text, tables

FAILING = """
from tokbench.api import Learner, hookimpl
class Failing(Learner):
    "Fail."
    def learn(self, words, size):
        raise ValueError("no | idea")
@hookimpl
def tokbench_learners():
    return {"failing": Failing}
"""
RUNS = "a script without spaces between words"


def test_corpora_are_counted(tmp_path: Path) -> None:
    texts = {"novel": "abd\tblend\nabc\tblend\n", "gold": "abc\tab c\n"}
    corpora, _ = tables(overview(tiny_run(tmp_path, texts=texts, corpora=LISTED)))
    assert corpora[1:] == [
        ["train", "training", "`words`", "", "8", "4", "", "", ""],
        ["held-out", "text", "`words`", "", "5", "4", "2", "20.0%", "25.0%"],
        ["novel", "list", "`entries`", "", "2", "2", "2", "50.0%", "50.0%"],
        ["parts", "gold", "`entries`", "", "1", "1", "1", "0.0%", "0.0%"],
    ]


def test_the_treatment_of_each_corpus_is_shown(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        corpora="{train: {path: train.txt, words: whitespace, normalise: [lowercase, "
        "{remove: '[|`]'}]}, test: {held-out: {path: test.txt, errors: skip-line}}}",
    )
    corpora, _ = tables(overview(run))
    assert [code_text(row[2]) for row in corpora[1:]] == ["whitespace", "words"]
    assert [code_text(row[3]) for row in corpora[1:]] == [
        'normalise=[lowercase,{remove:"[|`]"}]',
        "errors=skip-line",
    ]


def test_systems_are_shown_with_options_and_the_sizes_reached(tmp_path: Path) -> None:
    cut = "{name: cut, learner: {use: bpe, ties: first}, segmenter: longest-match, split: words}"
    _, systems = tables(overview(tiny_run(tmp_path, systems=f"[{BPE}, char, word, {cut}]")))
    assert systems == [
        ["system", "components", "context", "\\|V\\| reached"],
        ["bpe", "bpe(eow=absent)", "isolated", "4, 5"],
        ["char", "char", "isolated", "3"],
        ["word", "word", "isolated", "4, 4 (requested 5)"],
        ["cut", "bpe(ties=first)+longest-match\\|split=words", "", "left out"],
    ]


def test_a_system_without_results_was_left_out_or_failed(tmp_path: Path) -> None:
    """BPE knows at least a, b and c; what fails has no vocabulary at any size."""
    run = tiny_run(tmp_path, FAILING, systems=f"[{BPE}, char, failing]", sizes="[1, 2]")
    text = overview(run)
    _, systems = tables(text)
    assert [row[3] for row in systems[1:]] == ["left out", "3", "failed"]
    assert (
        "\nFailures:\n\n"
        "- system failing at size 1: ValueError: no \\| idea (plugin.py:6)\n"
        "- system failing at size 2: ValueError: no \\| idea (plugin.py:6)\n"
        "\nWarnings:\n"
    ) in text
    assert "- system bpe: sizes 1, 2: left out: size 2 is below the alphabet of 3 symbols" in text
    assert "- the baseline bpe has no results: nothing is compared with it\n" in text


def test_a_size_that_was_reached_counts_though_another_was_left_out(tmp_path: Path) -> None:
    _, systems = tables(overview(tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2, 4]")))
    assert systems[1][3] == "4"


TOTALS = "Each column is a requested vocabulary size |V|."
LEARNED = "Each column is a requested number of learned items (merges, for byte pair encoding)"


@pytest.mark.parametrize(
    ("sizes", "merges", "told"),
    [("[4]", None, (True, False)), (None, "[1]", (False, True))],
)
def test_what_a_column_is_depends_on_what_was_asked_for(
    tmp_path: Path, sizes: str | None, merges: str | None, told: tuple[bool, bool]
) -> None:
    text = reading(tiny_run(tmp_path, systems=f"[{BPE}, char]", sizes=sizes, merges=merges))
    assert (TOTALS in text, LEARNED in text) == told


def test_merges_are_reported_with_the_size_that_they_gave(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes=None, merges="[1, 9]")
    _, systems = tables(overview(run))
    assert systems[1][3] == "4 (requested merges:1), 5 (requested merges:9)"


def test_marks_are_explained_where_there_is_a_baseline(tmp_path: Path) -> None:
    text = reading(tiny_run(tmp_path))
    assert (
        "▲ and ▼ mark a value that is significantly above or below the baseline's, *bpe*, at"
        in text
    )
    assert "from\n100 bootstrap resamples" in text


def test_without_a_baseline_nothing_is_marked(tmp_path: Path) -> None:
    texts = {"test": "ab abc abc\n" * 20}
    assert "| 2.667 ▲ (2.667–2.667) |" in details(tiny_run(tmp_path, texts=texts))
    text = details(tiny_run(tmp_path, texts=texts, baseline="null"))
    assert "| 2.667 (2.667–2.667) |" in text
    assert "There is no baseline, so no differences are tested." in text
    assert not {"▲", "▼"} & {*text}


@pytest.mark.parametrize(
    ("script", "words"),
    [("Chinese", "他说今天很好。\n"), ("Thai", "ฉันรักภาษาไทย\n"), ("Japanese", "今日はいい天気\n")],
)
def test_unspaced_scripts_are_said_to_be_runs(tmp_path: Path, script: str, words: str) -> None:
    text = overview(tiny_run(tmp_path, texts={"test": words}))
    assert f"\n*held-out*: this text contains {RUNS}" in text


@pytest.mark.parametrize("words", ["한국어 문장\n", "ab abd c\n", "日 本\n"])
def test_spaced_scripts_are_words(tmp_path: Path, words: str) -> None:
    assert RUNS not in overview(tiny_run(tmp_path, texts={"test": words}))


def test_an_unspaced_list_needs_no_warning(tmp_path: Path) -> None:
    texts = {"novel": "今日\n", "gold": "天気\t天 気\n"}
    assert RUNS not in overview(tiny_run(tmp_path, texts=texts, corpora=LISTED))


def test_the_report_is_complete_where_nothing_was_scored(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=f"[{BPE}]", sizes="[2]")
    text = report(run)
    assert "- nothing was scored: no system has a vocabulary\n" in text
    assert [len(table) for table in tables(text)] == [3, 2]


def test_the_report_and_the_cost_are_files_of_their_own(tmp_path: Path) -> None:
    texts = {"novel": "abd\n", "gold": "abc\tab c\n"}
    metrics = "[exact-match, fertility, oov-words-running]"
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics=metrics)
    assert list(documents(run)) == ["report.md", "metrics.md", "cost.md"]
    titles = [line for line in report(run).split("\n") if line.startswith(("# ", "## "))]
    assert titles == [
        "# Tokenizer comparison: tiny",
        "## What this run shows",
        "## What was compared",
        "## Coverage: is anything unknown or lossy?",
        "## Unseen, rare and special words",
        "## By metric, at 5 or the largest size of a system",
        "## From characters to words: what each vocabulary costs and gains",
        "## Which size is enough?",
        "## More",
    ]
    titles = [line for line in details(run).split("\n") if line.startswith(("# ", "## "))]
    assert titles == [
        "# All metrics: tiny",
        "## Coverage: is anything unknown or lossy?",
        "## Unseen, rare and special words",
        "## Tokens that never come",
        "## How numbers are cut",
        "## Out of vocabulary",
        "## Which size is enough?",
        "## Segmentation",
        "## Boundaries against gold segmentations",
        "## Frequent words that bpe splits most",
        "## Unseen words, side by side",
        "## Signatures",
    ]


def test_a_name_that_promises_another_thing_has_a_sign(tmp_path: Path) -> None:
    text = overview(tiny_run(tmp_path, systems="[char, wordpiece]"))
    assert "| wordpiece ⚠ | wordpiece |" in text
    assert "\n⚠ *wordpiece* merges by likelihood, as papers tell it;" in text
    assert "⚠" not in overview(tiny_run(tmp_path, systems="[char]"))
