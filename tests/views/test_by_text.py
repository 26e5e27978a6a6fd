"""The numbers of each text, and what a size costs in a model."""

from pathlib import Path

import pytest
from tokbench_views.by_text import by_text, in_a_model, text_numbers, texts_view

from tests.tiny import BPE, tiny_run
from tokbench.run_folder import Run

from .markdown import tables

CORPORA = "{train: train.txt, test: {held-out: test.txt, other: other.txt}}"
METRICS = "[fertility, tokens, bytes-per-token, {use: parity, reference: held-out}]"


def run_of(folder: Path, **keys: str) -> Run:
    """At size 5 held-out has the tokens ab, ab <unk>, c, abc, ab; other has a, b, c."""
    return tiny_run(
        folder,
        texts={"test": "ab abd c\nabc ab\n", "other": "a b\nc\n"},
        **{"corpora": CORPORA, "metrics": METRICS, "systems": f"[{BPE}]", "sizes": "[5]"} | keys,
    )


def test_each_text_has_its_numbers(tmp_path: Path) -> None:
    run = run_of(tmp_path, model="{width: 8, tied: false, context: 12}")
    held_out, other = text_numbers(run, run.record.outcomes)
    assert (held_out.corpus, other.corpus) == ("held-out", "other")
    assert held_out.tokens_per_word == pytest.approx(6 / 5)
    assert held_out.tokens_per_byte == pytest.approx(6 / 11)
    assert (held_out.cannot_write, other.cannot_write) == (1 / 5, 0)
    assert (held_out.parity, other.parity) == (1, 0.5)
    # |1 - 0.5| in two of four pairs, by twice the mean of 0.75
    assert held_out.gini == other.gini == pytest.approx(0.25 / 1.5)
    assert held_out.words_in_context == pytest.approx(12 * 5 / 6)
    assert held_out.parameters == 5 * 8 * 2


def test_tokens_per_byte_need_no_metric_of_bytes(tmp_path: Path) -> None:
    run = run_of(tmp_path, metrics="[fertility]")
    held_out, other = text_numbers(run, run.record.outcomes)
    assert held_out.tokens_per_byte == pytest.approx(6 / 11)
    assert other.tokens_per_byte == pytest.approx(3 / 3)
    without = text_numbers(run.without_text(), run.record.outcomes)
    assert [text.tokens_per_byte for text in without] == [None, None]


def test_what_is_gated_has_a_sign_and_leaves_no_gini(tmp_path: Path) -> None:
    run = run_of(tmp_path, gate="0.1")
    *_, parity = tables(by_text(run))
    assert parity == [
        ["text", "bpe"], ["held-out", "1.000†"], ["other", "0.500"], ["Gini coefficient", ""],
    ]  # fmt: skip


def test_sizes_have_their_cost_in_a_model(tmp_path: Path) -> None:
    run = run_of(tmp_path, model="{width: 1000}", sizes="[4, 5]")
    assert tables(in_a_model(run)) == [
        [["system", "vocabulary size", "parameters"], ["bpe", "4", "4,000"], ["bpe", "5", "5,000"]]
    ]


def test_words_in_the_context_need_no_metric(tmp_path: Path) -> None:
    keys = {"systems": f"[{BPE}]", "sizes": "[5]", "model": "{width: 10, context: 12}"}
    (rows,) = tables(in_a_model(run_of(tmp_path, metrics="[kept-whole-running]", **keys)))
    assert rows[1] == ["bpe", "5", "50", "10‡", "12‡"]


def test_systems_without_the_common_size_are_named_with_their_own(tmp_path: Path) -> None:
    systems = f"[{BPE}, char, {{name: small, learner: {{use: bpe, eow: absent}}, sizes: [4]}}]"
    assert "At vocabulary size 5 (char 3, small 4). " in by_text(run_of(tmp_path, systems=systems))


def test_gold_without_a_text_has_sizes_in_a_model(tmp_path: Path) -> None:
    corpora = "{train: train.txt, gold: {parts: gold.txt}}"
    texts = {"gold": "abc\tab c\n"}
    keys = {"systems": f"[{BPE}]", "sizes": "[5]", "metrics": "[fertility]"}
    run = tiny_run(tmp_path, texts=texts, corpora=corpora, model="{width: 10, context: 9}", **keys)
    assert tables(texts_view(run, "md")) == [
        [["system", "vocabulary size", "parameters"], ["bpe", "5", "50"]]
    ]


def test_one_text_without_a_model_has_no_sections(tmp_path: Path) -> None:
    run = tiny_run(tmp_path)
    assert by_text(run) == in_a_model(run) == ""
    assert "fewer than two test texts" in texts_view(run, "md")
