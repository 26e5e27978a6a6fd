"""The answer: what it says of constructed runs. The rules have tests in tests/test_recommend.py."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from tokbench_views.answer import CAVEAT, answer
from tokbench_views.tables import ending

from tests.lengths import made
from tests.shipped import ShippedRun
from tests.tiny import TinyRun, tiny_run
from tokbench.run_folder import Run

ROOT = Path(__file__).parents[2]
WORDS = [f"{a}{b}{c}" for a in ("ka", "to", "mi") for b in ("lu", "re") for c in ("n", "s")]
TEXT = "".join(f"{first} {second}\n" for first, second in combinations(WORDS, 2))
NEW = "".join(f"{word}{word}\n{word[1:]}{word}\n" for word in WORDS)


def facts(run: Run) -> dict[str, str]:
    return {fact.topic: fact.text for fact in answer(run)}


def values(run: Run, size: str, subset: str = "all") -> dict[str, float]:
    return {
        row.system: row.value or 0
        for row in run.rows
        if (row.metric, row.size, row.subset) == ("fertility", size, subset)
    }


def run_of(folder: Path, systems: str, sizes: str, **keys: str) -> TinyRun:
    texts = {"train": TEXT, "test": TEXT + keys.pop("appended", "")}
    keys = {"metrics": "[fertility]", "gate": "0.01"} | keys
    return tiny_run(folder, texts=texts, systems=systems, sizes=sizes, **keys)


def test_where_nothing_differs_either_will_do(tmp_path: Path) -> None:
    run = run_of(tmp_path, "[{name: one, learner: bpe}, {name: two, learner: bpe}]", "[25, 30]")
    length = values(run, "30")["one"]
    saved = 100 * (1 - length / values(run, "25")["one"])
    assert facts(run) == {
        "recommendation": "Take either one or two with 30 tokens for texts like held-out, by "
        f"number of tokens: {length:.2f} per word.",
        "size": f"Going from 25 to 30 saved {saved:.0f} %. With 12 distinct words the text gives "
        "hardly more.",
        "caveat": CAVEAT,
        "unseen-kinds": "All words of held-out occur in the training text.",
        "coverage": "All systems write every word of held-out.",
    }


def test_a_system_that_cannot_write_the_text_is_not_recommended(tmp_path: Path) -> None:
    """`word` has one token a word, since one token stands for all words that it does not know."""
    systems = (
        "[{name: whole, learner: word}, bpe, {name: letters, learner: {use: bpe, eow: separate}}]"
    )
    run = run_of(tmp_path, systems, "[30]", appended=NEW)
    all_words, unseen = values(run, "30"), values(run, "30", "unseen")
    assert all_words["whole"] == 1 < min(all_words["bpe"], all_words["letters"])
    sentences = facts(run)
    best, next_one = sorted(("bpe", "letters"), key=lambda name: all_words[name])
    fewer = 100 * (1 - all_words[best] / all_words[next_one])
    assert sentences["recommendation"] == (
        f"Take {best} with 30 tokens for texts like held-out, by number of tokens: "
        f"{all_words[best]:.2f} per word, {fewer:.1f} % fewer than {next_one}."
    )
    lost = next(row.lossy for row in run.coverage if row.system == "whole")
    assert sentences["not-ranked"] == f"Not ranked: whole ({100 * lost:.0f} % of the words lost)."
    assert sentences["coverage"] == "All but whole write every word of held-out."
    share = next(row.share_running for row in run.unseen if row.kind == "all")
    assert sentences["unseen"] == (
        f"1 in {round(1 / share)} words of held-out is not in the training text "
        f"({100 * share:.1f} %). {best} splits them into {unseen[best]:.1f} tokens, "
        f"{next_one} into {unseen[next_one]:.1f}."
    )


def test_who_loses_words_of_one_text_is_none_of_those_that_write_all(tmp_path: Path) -> None:
    texts = {"train": TEXT, "test": TEXT, "new": TEXT + NEW}
    corpora = "{train: train.txt, test: {held-out: test.txt, new: new.txt}}"

    def coverage(systems: str) -> str | None:
        keys = {"corpora": corpora, "metrics": "[fertility]", "gate": "0.01", "sizes": "[30]"}
        return facts(tiny_run(tmp_path, texts=texts, systems=systems, **keys)).get("coverage")

    assert coverage("[word]") is None
    assert coverage("[word, bpe]") == "bpe@30 writes every word of held-out and new."


def test_a_system_without_word_ends_is_not_recommended(tmp_path: Path) -> None:
    """Without a mark there are fewest tokens, but `forever` and `fore ver` are the same."""
    marked = "bpe, {name: begun, learner: {use: bpe, eow: absent, bow: fused}}"
    bare = (
        "{name: bare, learner: {use: bpe, eow: absent}}, "
        "{name: shown, learner: {use: bpe, eow: absent, continuation: display}}"
    )
    run = run_of(tmp_path, f"[{bare}, {marked}]", "[30]")
    lengths = values(run, "30")
    assert lengths["bare"] == lengths["shown"] < min(lengths["bpe"], lengths["begun"])
    assert {frozenset((c.system, c.other)) for c in run.comparisons if c.subset == "all"} == {
        frozenset(("bare", "shown")),
        frozenset(("bpe", "begun")),
    }
    sentences = facts(run)
    best = min(("bpe", "begun"), key=lambda name: lengths[name])
    fewer = 100 * (1 - lengths["bare"] / lengths[best])
    assert sentences["not-ranked"] == "Not ranked: bare and shown (word ends lost)."
    assert sentences["shorter"] == (
        f"bare needs {fewer:.1f} % fewer tokens than {best}, but they do not tell where words end."
    )
    alone = facts(run_of(tmp_path, f"[{bare}]", "[30]"))
    assert alone["recommendation"] == (
        "No system tried tells where words end: add one with a mark, such as bpe."
    )
    assert "not-ranked" not in alone


def test_nobody_writes_the_text(tmp_path: Path) -> None:
    sentences = facts(run_of(tmp_path, "[word]", "[30]", appended=NEW))
    assert sentences["recommendation"] == (
        "No system tried can write this text and tell where words end: add one that writes every "
        "byte, such as {use: byte-bpe, read: lines}."
    )


@pytest.mark.parametrize(
    ("topic", "run", "sentence"),
    [
        (
            "undecided",
            made({"a": {1000: 1.0}, "b": {1000: 1.05}}, 0.06),
            "This test text is too small to tell b from a.",
        ),
        (
            "recommendation",
            made({"x": {0: 1.1}}, ready=frozenset("x"), texts=("en", "ko")),
            "Take x (50,000 entries; may have seen these texts) for texts like en and ko, by "
            "number of tokens: 1.10 per word, the geometric mean of 2 texts.",
        ),
        (
            "recommendation",
            made({"a": {1000: 1.0}, "b": {1000: 1.25}}, None),
            "Take a with 1,000 tokens for texts like held-out, by number of tokens: 1.00 per word, "
            "20.0 % fewer than b (not tested).",
        ),
        (
            "size",
            made({"a": {1000: 1.5, 2000: 1.2, 4000: 1.17}}),
            "Doubling it to 4,000 would save 2.5 % more.",
        ),
        (
            "sizes",
            made(
                {
                    "a": {1000: 1.6, 2000: 1.3, 4000: 1.28},
                    "b": {1000: 1.25, 2000: 1.24, 4000: 1.31},
                    "c": {500: 1.7},
                }
            ),
            "At 1,000 and 2,000 tokens, b is ahead. For b the size would be 1,000 tokens.",
        ),
        (
            "not-ranked",
            made({"a": {1000: 1.6, 2000: 1.3}, "b": {1000: 1.7}, "c": {500: 1.7}}),
            "Not ranked: c (no size that a has).",
        ),
        (
            "undecided",
            made({"a": {1000: 1.5, 2000: 1.48}, "b": {1000: 1.46, 2000: 1.9}}, 0.08),
            "At 1,000 tokens, b needs fewer, by less than this text can tell.",
        ),
        (
            "sizes",
            made({"a": {1000: 1.5, 2000: 1.48}, "b": {1000: 1.46, 2000: 1.9}}, 0.08),
            "For b the size would be 1,000 tokens.",
        ),
        (
            "recommendation",
            made({"x": {0: 1.1}, "y": {0: 1.105}}, ready=frozenset("xy")),
            "Take either x (50,000 entries) or y (50,000 entries), which may have seen this text, "
            "for texts like held-out, by number of tokens: 1.10 per word.",
        ),
        (
            "ready-made",
            made({"a": {1000: 2.0}, "x": {0: 1.1}, "y": {0: 1.105}}, 0.1, ready=frozenset("xy")),
            "Ready-made: x (50,000 entries, 50 times as many) needs 1.10 tokens per word, y about "
            "as many; it may have seen this text.",
        ),
        (
            "ready-made",
            made({"a": {1000: 1.5, 2000: 1.4}, "x": {0: 1.1}}, ready=frozenset("x")),
            "Ready-made: x (50,000 entries, 25 times as many) needs 1.10 tokens per "
            "word; it may have seen this text.",
        ),
        (
            "recommendation",
            made({"x": {0: 1.1}}, ready=frozenset("x")),
            "Take x (50,000 entries; may have seen this text) for texts like held-out, by number "
            "of tokens: 1.10 per word.",
        ),
        (
            "other-context",
            made(
                {"a": {1000: 1.4}, "b": {1000: 1.4}, "c": {1000: 1.2}},
                contexts={"c": "in-context"},
            ),
            "Of systems that cut whole lines, c is first: 1.20 tokens per word, with 1,000 tokens.",
        ),
        (
            "not-ranked",
            made(
                {"a": {1000: 1.4}, "b": {1000: 1.4}, "c": {1000: 1.2}},
                contexts={"c": "in-context"},
            ),
            "Ranked apart: c (cuts whole lines).",
        ),
    ],
)
def test_each_sentence(topic: str, run: Run, sentence: str) -> None:
    assert facts(run)[topic] == sentence


@pytest.mark.parametrize(
    ("length", "sentence"),
    [
        (1.5, "on one it needs 50.0 % more than a."),
        (0.9, "it saves least on one: 10.0 % fewer than a."),
    ],
)
def test_several_texts_name_the_worst(length: float, sentence: str) -> None:
    """b needs fewer tokens than a on average; beside a it is worst on `one`."""
    run = made({"a": {1000: 1.0}, "b": {1000: 1.0}}, texts=("one", "two"))
    numbers = {("a", "one"): 1.0, ("a", "two"): 4.0, ("b", "one"): length, ("b", "two"): length}
    rows = tuple(replace(row, value=numbers[row.system, row.corpus]) for row in run.rows)
    fewer = 100 * (1 - length / 2)
    assert facts(replace(run, rows=rows, comparisons=()))["recommendation"] == (
        "Take b with 1,000 tokens for texts like one and two, by number of tokens: "
        f"{length:.2f} per word, the geometric mean of 2 texts, {fewer:.1f} % fewer than a "
        f"(not tested); {sentence}"
    )


def test_the_dearest_text_of_each_system_is_named_or_how_to_measure_it(tmp_path: Path) -> None:
    """`other` has as many characters as `held-out`, of two bytes each."""

    def parity(metrics: str, other: str = "äö\nöä\n") -> str:
        run = tiny_run(
            tmp_path, texts={"train": "äb bä\n", "test": "ab\nba\n", "other": other},
            corpora="{train: train.txt, test: {held-out: test.txt, other: other.txt}}",
            systems="[utf8-bytes, {name: letters, learner: char}]", metrics=metrics, gate="1",
        )  # fmt: skip
        return facts(run).get("parity", "")

    assert parity("[fertility, tokens, {use: parity, reference: held-out}]") == (
        "The dearest text, in times the tokens of held-out: 1.00 with letters (other), 2.00 with "
        "utf8-bytes (other)."
    )
    assert parity("[fertility]") == (
        "Whether a tokenizer treats these texts alike was not measured: if their lines say the "
        "same, add {use: parity, reference: held-out} to the metrics."
    )
    assert not parity("[fertility]", "ab\n")


def test_a_size_that_was_not_reached_is_told(tmp_path: Path) -> None:
    run = run_of(tmp_path, "[bpe, utf8-bytes]", "[2, 30, 34]")
    assert facts(run)["scope"] == "A size was not reached by bpe."


def test_failures_are_told_and_a_run_without_results_claims_nothing(tmp_path: Path) -> None:
    run = run_of(tmp_path, "[bpe, char]", "[30]")
    broken = replace(run, record=replace(run.record, failures=("system odd: no idea",)))
    assert facts(broken)["failures"] == (
        "One part of this run failed; what would stand there is missing."
    )
    nothing = replace(run.record, failures=("system odd: no idea",), outcomes=())
    empty = replace(broken, record=nothing, rows=(), coverage=(), comparisons=(), unseen=())
    assert facts(empty) == {"failures": "Nothing was scored: every system failed."}


def test_without_a_text_the_words_that_are_there_decide(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path, texts={"gold": "abc\tab c\n"}, systems="[char, bpe]", metrics="[fertility]",
        corpora="{train: train.txt, gold: {parts: gold.txt}}", sizes="[9]",
    )  # fmt: skip
    assert facts(run)["recommendation"].startswith("Take bpe with 9 tokens for texts like parts,")


@pytest.mark.parametrize(
    ("low", "sentence"),
    [
        (1.35, "Of 2 kinds of noise, swap costs most: bpe@25 needs 1.500 times"),
        (1.25, "Of 2 kinds of noise, this run cannot tell swap from keyboard: bpe@25 needs 1.500"),
        (None, "Of 2 kinds of noise, this run cannot tell swap from keyboard: bpe@25 needs 1.500"),
    ],
)
def test_noise_that_costs_most_lies_above_all_others(
    tmp_path: Path, low: float | None, sentence: str
) -> None:
    run = run_of(tmp_path, "[bpe]", "[25]")
    (row,) = (row for row in run.rows if row.subset == "all")
    row = replace(row, metric="fertility-change", low=1.1, high=1.3)
    kinds = {
        "common:keyboard": replace(row, value=1.2),
        "common:swap": replace(row, value=1.5, low=low, high=1.7),
    }
    rows = [replace(row, subset=subset) for subset, row in kinds.items()]
    assert facts(replace(run, rows=(*run.rows, *rows)))["noise"].startswith(sentence)


def test_the_terminal_has_eight_lines_of_each_part(tmp_path: Path) -> None:
    long = "n" * 64
    run = run_of(
        tmp_path, f"[{{name: {long}, learner: word}}, bpe, char, byte-bpe, unigram]", "[30, 300]",
        appended=NEW,
    )  # fmt: skip
    recommendation, sentences, table = ending(run).split("\n\n", 2)
    for text in (recommendation, sentences.partition("\n(")[0]):
        assert len(text.split("\n")) <= 8
        assert max(map(len, text.split("\n"))) <= 80
    assert recommendation.startswith("- Take ")
    assert "is not in the training text" in recommendation
    assert CAVEAT not in recommendation, "the same in every run, so the first to go"
    assert table.startswith("system")


def test_a_narrow_terminal_wraps_words_and_wide_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    run = tiny_run(
        tmp_path, texts={"test": "가나 다라\n"},
        corpora="{train: train.txt, test: {가나다라마바사아자차카타파하: test.txt}}",
    )  # fmt: skip
    text = ending(run).partition("\n\n")[0]
    assert max(len(line.encode("euc-kr")) for line in text.split("\n")) <= 40


@pytest.mark.ci
def test_the_section_of_the_report_links_to_sections_that_it_has(shipped_run: ShippedRun) -> None:
    report = (shipped_run("toy") / "report.md").read_text("utf-8")
    titles = [line.lstrip("# ") for line in report.split("\n") if line.startswith("##")]
    anchors = {
        "".join(c for c in t.lower().replace(" ", "-") if c.isalnum() or c == "-") for t in titles
    }
    section = report[: report.index("## What was compared")]
    links = [part.split(")")[0] for part in section.split("](#")[1:]]
    assert links
    assert {*links} <= anchors


@pytest.mark.ci
def test_the_page_shows_the_answer_of_the_shipped_config(
    shipped_run: ShippedRun, golden: Callable[[Path, str], None]
) -> None:
    page = ROOT / "docs" / "reference" / "answer.md"
    run = Run.load(shipped_run("bpe"))
    here = replace(run, record=replace(run.record, path="configs/bpe.yaml"))
    shown = ending(here).partition("\n\n")[0] + "\n"
    text, blocks = re.subn(
        "^```text\n.*?```",
        lambda _: f"```text\n{shown}```",
        page.read_text("utf-8"),
        count=1,
        flags=re.M | re.S,
    )
    assert blocks == 1
    golden(page, text)
