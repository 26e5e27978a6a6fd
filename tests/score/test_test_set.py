"""A test corpus made ready: its subsets, its units and blocks of units, and where metrics apply."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tiny import TinyRun, offering, row, tiny_run
from tokbench.api import Metric
from tokbench.api.arrays import Segmentation


class ByWord(Metric):
    """Counts words."""

    formula, range, denominator = "words", (0, float("inf")), "words"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"words": np.ones(len(segmentation))}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return sums["words"]


class OnceEach(ByWord):
    """Counts distinct words."""

    unit = "word"


class ByLine(ByWord):
    """Counts lines."""

    per = "line"

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"words": np.ones(len(segmentation.words.lines) - 1)}


class Running(ByWord):
    """Tells of running text."""

    texts_only = True


class Gold(ByWord):
    """Needs gold boundaries."""

    needs = frozenset({"gold"})


METRICS = offering(
    by_word=ByWord, once_each=OnceEach, by_line=ByLine, running=Running, gold_only=Gold
)
CORPORA = """
  train: train.txt
  test: {text: test.txt}
  lists: {listed: novel.txt}
  gold: {parts: gold.txt}"""
TEXTS = {
    "train": "b b b b\n",
    "test": "a b a\nc b\n",
    "novel": "a\tx\nb\t\nc\ty\n",
    "gold": "a\ta\nb\tb\ncc\tc c\n",
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> TinyRun:
    """Run lines `a b a` and `c b`, of which only b was seen in training, a list and gold words."""
    return tiny_run(
        tmp_path_factory.mktemp("bench"), METRICS, TEXTS, corpora=CORPORA, systems="[char]",
        metrics="[by-word, once-each, by-line, running, gold-only]",
    )  # fmt: skip


def values(run: TinyRun, corpus: str, metric: str) -> dict[str, float | None]:
    return {r.subset: r.value for r in run.rows if (r.corpus, r.metric) == (corpus, metric)}


def test_subsets_are_all_unseen_and_each_category(done: TinyRun) -> None:
    assert values(done, "listed", "once-each") == {
        "all": 3,
        "unseen": 2,
        "band:2-5": 1,
        "category:x": 1,
        "category:y": 1,
    }


def test_words_of_a_subset_are_counted_by_line_or_once_each(done: TinyRun) -> None:
    unseen, seen = ("unseen", "kind:new-character"), "band:2-5"
    assert values(done, "text", "by-word") == {"all": 5, **dict.fromkeys(unseen, 3), seen: 2}
    assert values(done, "text", "once-each") == {"all": 3, **dict.fromkeys(unseen, 2), seen: 1}
    assert values(done, "text", "by-line") == {"all": 2}


def test_units_are_those_that_hold_a_word_of_the_subset(tmp_path: Path) -> None:
    texts = {**TEXTS, "test": "a b a\nb\n"}
    run = tiny_run(
        tmp_path, METRICS, texts, systems="[char]", metrics="[by-word, once-each]",
        corpora="{train: train.txt, test: {text: test.txt}}",
    )  # fmt: skip
    (note,) = run.notes
    assert note.endswith("20 units: text: all (2 lines), unseen (1 line)")


APPLIES = {
    "by-word": (["all", "unseen"], ["all", "unseen"], ["all", "unseen"]),
    "running": (["all", "unseen"], [], []),
    "by-line": (["all"], [], []),
    "gold-only": ([], [], ["all", "unseen"]),
}


@pytest.mark.parametrize("metric", APPLIES)
def test_where_a_metric_applies(done: TinyRun, metric: str) -> None:
    subsets = [
        [s for s in values(done, corpus, metric) if s in ("all", "unseen")]
        for corpus in ("text", "listed", "parts")
    ]
    assert subsets == [*APPLIES[metric]]


def test_a_metric_that_compares_texts_has_no_value_on_what_they_are_compared_with(
    tmp_path: Path,
) -> None:
    run = tiny_run(
        tmp_path, METRICS, {"more": "b b\nc\n"}, systems="[char]",
        corpora="{train: train.txt, test: {text: test.txt, more: more.txt}}",
        metrics="[{use: parity, reference: text}, by-word]",
    )  # fmt: skip
    assert run.failures == ()
    scored = {(r.corpus, r.metric.partition("(")[0]) for r in run.rows}
    assert scored == {("text", "by-word"), ("more", "by-word"), ("more", "parity")}


# Lines of 1 to 7 letters, of which the 90 resamples below give different means.
UNEVEN = "".join("ab " * (1 + n % 3) + "c" * (1 + n % 4) + "\n" for n in range(25))


def ends(folder: Path, name: str = "held-out", **keys: str) -> dict[str, Any]:
    """Return the interval of the tokens a word, for running text and for distinct words."""
    texts = {"test": UNEVEN + " ".join("ab" * n for n in range(1, 30)) + "\n"}
    run = tiny_run(
        folder, METRICS, texts, systems="[char]", metrics="[by-word, single-characters, fertility]",
        corpora=f"{{train: train.txt, test: {{{name}: test.txt}}}}", **keys,
    )  # fmt: skip
    return {r.metric: (r.low, r.high) for r in run.rows if r.subset == "all"}


def test_intervals_depend_on_seed_and_corpus_alone(tmp_path: Path) -> None:
    intervals = ends(tmp_path)
    assert None not in intervals["fertility"]
    assert intervals == ends(tmp_path)
    assert intervals["fertility"] != ends(tmp_path, seed="1")["fertility"]
    assert intervals["fertility"] != ends(tmp_path, name="other")["fertility"]


def test_as_many_units_are_drawn_as_there_are(tmp_path: Path) -> None:
    """Every resample of equal lines has as many lines, and so as many words, as the text."""
    texts = {"test": "ab c\n" * 31}
    run = tiny_run(tmp_path, METRICS, texts, systems="[char]", metrics="[by-word]")
    by_word = row(run, "char", "by-word")
    assert (by_word.low, by_word.value, by_word.high) == (62, 62, 62)


def long(folder: Path, lines: int, **keys: str) -> TinyRun:
    """Run so many lines of b, the first twenty of which hold an unseen word too."""
    texts = {"train": "b\n", "test": "a b\n" * 20 + "b\n" * (lines - 20)}
    return tiny_run(folder, METRICS, texts, systems="[char]", metrics="[by-word]", **keys)


def test_too_few_blocks_hold_a_word_of_the_subset(tmp_path: Path) -> None:
    """Of 30,000 lines each three make a block, so that twenty side by side lie in seven."""
    run = long(tmp_path, 30_000)
    assert run.notes[0].endswith("20 units: held-out: unseen (7 lines)")
    unseen, all_words = (row(run, "char", "by-word", subset=subset) for subset in ("unseen", "all"))
    assert (unseen.value, unseen.low, unseen.high) == (20, None, None)
    assert all_words.low is not None
    assert row(long(tmp_path, 10_000), "char", "by-word", subset="unseen").low is not None


def a_book(lines: int, shuffled: bool = False) -> str:
    """Write chapters of 60 lines, short and long ones in turn, each with a name of its own."""
    text = [
        " ".join(["ab abc"] * (2 + 5 * (chapter % 2)) + [f"x{chapter}"] * (line % 3))
        for chapter in range(lines // 60)
        for line in range(60)
    ]
    if shuffled:
        np.random.default_rng(0).shuffle(text)
    return "\n".join(text) + "\n"


def of_book(folder: Path, lines: int, shuffled: bool = False, **keys: str) -> tuple[TinyRun, Any]:
    run = tiny_run(
        folder, texts={"test": a_book(lines, shuffled)}, metrics="[fertility]", resamples="50",
        corpora="{train: train.txt, test: {book: test.txt}}", systems="[char]", **keys,
    )  # fmt: skip
    return run, row(run, "char", "fertility", "book")


def test_blocks_are_as_long_as_lines_depend_on_each_other(tmp_path: Path) -> None:
    long, of_long = of_book(tmp_path, 2_400)
    short, of_short = of_book(tmp_path, 240)
    shuffled, of_shuffled = of_book(tmp_path, 2_400, shuffled=True)
    (book,), (page,), (mixed,) = (run.record.tests for run in (long, short, shuffled))
    assert 10 < (book.block_length or 0) < 120
    assert book.block_length == book.fitting_length
    assert 0 < book.drawn_twice < 2_400 / (book.block_length or 1) / 2
    assert page.block_length == 12 < (page.fitting_length or 0)
    assert (mixed.drawn_by, mixed.is_short) == ("block:1", False)
    assert [of.short_text for of in (of_long, of_short, of_shuffled)] == ["", "yes", ""]
    assert of_long.high - of_long.low > 2 * (of_shuffled.high - of_shuffled.low)


def test_blocks_of_one_line_are_single_lines(tmp_path: Path) -> None:
    run, of_blocks = of_book(tmp_path, 240, **{"block-length": "1"})
    by_line, of_lines = of_book(tmp_path, 240, **{"resample-by": "line"})
    assert (of_blocks.low, of_blocks.high) == (of_lines.low, of_lines.high)
    assert [r.record.tests[0].drawn_by for r in (run, by_line)] == ["block:1", "line"]


def test_a_wished_length_is_cut_to_a_twentieth(tmp_path: Path) -> None:
    run, of_book_ = of_book(tmp_path, 240, **{"block-length": "100"})
    assert (run.record.tests[0].drawn_by, of_book_.short_text) == ("block:12", "yes")


def test_of_few_documents_blocks_are_drawn(tmp_path: Path) -> None:
    run, _ = of_book(tmp_path, 240, **{"resample-by": "document"})
    assert run.record.tests[0].drawn_by == "block:12"
    assert any("fewer than 30 documents in book" in note for note in run.record.notes)
