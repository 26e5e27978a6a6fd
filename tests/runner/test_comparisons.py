"""All pairs of systems: families, verdicts, what is left out; and documents drawn as a whole."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import BPE, TinyRun, bounds, tiny_run
from tokbench.score.resample import draw, interval

METRICS = "[tokens, fertility, kept-whole-running, boundary-f1-micro]"
TWIN = "{name: twin, learner: {use: bpe, eow: absent, merge: list}}"
SMALLEST = "{name: smallest, learner: {use: bpe, eow: absent, ties: smallest}}"
TEXTS = {
    "test": "ab abd cab abcd\nabc ab bca\nc b a abc\n" * 20,
    "gold": "".join(f"{word}\t{word[:1]} {word[1:]}\n" for word in ("abc", "abd", "cab", "bca")),
}
CORPORA = "{train: train.txt, test: {held-out: test.txt}, gold: {parts: gold.txt}}"


def run(folder: Path, **keys: Any) -> TinyRun:
    systems = f"[{BPE}, {TWIN}, {SMALLEST}, word, char]"
    defaults = {"corpora": CORPORA, "systems": systems, "metrics": METRICS, "resamples": "200"}
    return tiny_run(folder, texts={**TEXTS, **keys.pop("texts", {})}, **{**defaults, **keys})


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    """The run with the usual keys."""
    return run(tmp_path_factory.mktemp("comparisons"))


def test_families_hold_all_pairs_of_a_size(done: TinyRun) -> None:
    pairs = {(c.metric, c.corpus, c.subset, c.size): [] for c in done.comparisons}  # type: dict[tuple[str, ...], list[tuple[str, str]]]
    for c in done.comparisons:
        pairs[c.metric, c.corpus, c.subset, c.size].append((c.system, c.other))
    expected = [*combinations(("bpe", "twin", "smallest", "word"), 2)]
    # Gold words are too few to be resampled.
    assert {key[:3] for key in pairs} == {
        (metric, "held-out", subset)
        for metric in ("fertility", "kept-whole-running")
        for subset in ("all", "unseen")
    } | {("tokens", "held-out", "all")}
    assert {key[3] for key in pairs} == {"4", "5"}, "char alone has no size, so no pair"
    for compared in pairs.values():
        assert {*compared} <= {*expected}
    assert pairs["kept-whole-running", "held-out", "all", "4"] == expected
    unmarked = [*combinations(("bpe", "twin", "smallest"), 2)]
    assert pairs["fertility", "held-out", "all", "4"] == unmarked, "`word` alone tells word ends"


def test_systems_that_never_differ_cannot_be_told_apart(done: TinyRun) -> None:
    pairs = {(c.system, c.other, c.metric, c.subset, c.size): c for c in done.comparisons}
    same = pairs["bpe", "twin", "fertility", "all", "5"]
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)
    assert same.verdict == "cannot tell"
    apart = pairs["bpe", "word", "kept-whole-running", "all", "5"]
    assert apart.low > 0
    assert (apart.p, apart.verdict) == (pytest.approx(1 / 201), "higher")
    assert {c.verdict for c in pairs.values()} <= {"higher", "lower", "cannot tell"}


def test_a_difference_is_that_of_the_values(done: TinyRun) -> None:
    values = {(r.system, r.corpus, r.metric, r.subset, r.size): r.value for r in done.rows}
    for c in done.comparisons:
        place = c.corpus, c.metric, c.subset, c.size
        value, other_value = values[c.system, *place], values[c.other, *place]
        assert value is not None
        assert other_value is not None
        assert c.difference == pytest.approx(value - other_value, abs=1e-11)
        assert c.low <= c.difference <= c.high


def test_lengths_of_unknown_text_are_compared_with_none(tmp_path: Path) -> None:
    """`word` does not know a tenth of the words, whose d and other forms it never saw."""
    done = run(tmp_path, gate="0.01", texts={"test": "ab abc b c abcb\nabc ab bcc\n" * 20})
    lengths = {c.system for c in done.comparisons if c.metric == "fertility"}
    lengths |= {c.other for c in done.comparisons if c.metric == "fertility"}
    assert lengths == {"bpe", "twin", "smallest"}
    assert "word" in {c.other for c in done.comparisons if c.metric == "kept-whole-running"}


def test_samples_of_the_training_text_must_agree(tmp_path: Path) -> None:
    words = ["abc", "ab", "abd", "cab", "bcd", "dab", "add", "bad", "cad", "dad"]
    lines = (" ".join(words[: 2 + i % 7]) + f" {words[i % 10]}x" for i in range(120))
    texts = {"train": "\n".join(lines) + "\n", "test": "ab abd cab abcd badx\nabc dabx\n" * 20}
    keys: dict[str, Any] = {"texts": texts, "sizes": "[12, 20]"}
    plain, sampled = run(tmp_path, **keys), run(tmp_path, **keys, **{"training-samples": "5"})
    changed = 0
    for of_plain, of_sampled in zip(plain.comparisons, sampled.comparisons, strict=True):
        assert (of_plain.difference, of_plain.p) == (of_sampled.difference, of_sampled.p)
        assert of_sampled.verdict in (of_plain.verdict, "cannot tell")
        changed += of_plain.verdict != of_sampled.verdict
    assert changed


def test_documents_are_drawn_as_a_whole(tmp_path: Path) -> None:
    """By hand: 35 documents of one to three lines, drawn by the weights of the corpus."""
    blocks = [["ab abd", "c", "abc ab"][: 1 + i % 3] for i in range(35)]
    text = "\n\n".join("\n".join(lines) for lines in blocks) + "\n"
    corpora = "{train: train.txt, test: {held-out: {path: test.txt, documents: blocks}}}"
    done = run(
        tmp_path, corpora=corpora, texts={"test": text}, systems="[char]", metrics="[fertility]",
        **{"resample-by": "document"},
    )  # fmt: skip
    (row,) = (row for row in done.rows if row.subset == "all")
    tokens = np.array([sum(len(w) for line in lines for w in line.split()) for lines in blocks])
    words = np.array([sum(len(line.split()) for line in lines) for lines in blocks])
    drawn = draw(35, 200, 0, "held-out/line")[1:]
    expected = interval((drawn @ tokens) / (drawn @ words))
    assert (row.low, row.high) == bounds(*expected)
    assert row.value == pytest.approx(tokens.sum() / words.sum())
    assert "|by=document|" in done.signature(row)
    by_block = run(
        tmp_path, corpora=corpora, texts={"test": text}, systems="[char]", metrics="[fertility]"
    )
    (block_row,) = (row for row in by_block.rows if row.subset == "all")
    assert (block_row.value, block_row.n) == (row.value, row.n)
    assert (block_row.low, block_row.high) != (row.low, row.high)


@pytest.mark.parametrize(
    ("lines", "low", "events"),
    [(9, None, "(9 of 60 in 9 lines)"), (10, "some", "("), (51, None, "(all but 9 of 60 in 9")],
)
def test_a_share_of_few_events_has_no_interval(
    tmp_path: Path, lines: int, low: str | None, events: str
) -> None:
    """60 lines of one word, some of which is not known."""
    from tokbench_views.report import details

    text = "abd\n" * lines + "abc\n" * (60 - lines)
    done = run(tmp_path, texts={"test": text}, metrics="[oov-words-running]", systems="[char]")
    (row,) = (row for row in done.rows if (row.subset, row.corpus) == ("all", "held-out"))
    assert (row.low is None) == (low is None)
    assert (row.events, row.event_units) == (min(lines, 60 - lines),) * 2
    assert events in details(done)


def test_events_are_counted_by_unit_not_by_word(tmp_path: Path) -> None:
    """Twenty unknown words in nine lines are few."""
    text = "abd abd abd\n" * 9 + "abc ab\n" * 60
    done = run(tmp_path, texts={"test": text}, metrics="[oov-words-running]", systems="[char]")
    (row,) = (row for row in done.rows if (row.subset, row.corpus) == ("all", "held-out"))
    assert (row.events, row.event_units, row.low) == (27, 9, None)


def test_a_length_is_tested_against_a_baseline_that_tells_word_ends_alike(tmp_path: Path) -> None:
    """A mark, or none; the difference stands, its p-value does not. Other metrics are tested."""
    marked = "{name: marked, learner: bpe}"
    ready = "{name: ready, learner: utf8-bytes}"
    split = "{name: split, learner: bpe, split: gpt2}"
    done = run(tmp_path, systems=f"[{BPE}, {marked}, char, {ready}, {split}]", sizes="[9]")
    edges = {o.system: o.told_edge for o in done.record.outcomes}
    assert edges == {
        "bpe": "none",
        "marked": "end",
        "char": "none",
        "ready": "none",
        "split": "none",
    }
    rows = {
        (r.system, r.metric): r
        for r in done.rows
        if (r.corpus, r.subset) == ("held-out", "all") and r.baseline
    }
    for (system, metric), row in rows.items():
        assert row.difference is not None
        lost = system in ("char", "split")
        assert done.loses_word_ends(row) == lost, "bytes are cut in context"
        assert (row.p is not None) == (lost or metric == "kept-whole-running")
