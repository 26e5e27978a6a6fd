"""Whole curves: at every size what learning that size, segmenting and scoring gives."""

import csv
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tiny import BPE, LISTED, tiny_run
from tokbench.api import Learned, Size, SizeError, Vocabulary
from tokbench.config import Span
from tokbench.run_folder import Run
from tokbench.run_folder.curves import CurveSteps, write_curves
from tokbench.runner.assemble import steps_of
from tokbench.runner.curves import Curve
from tokbench.runner.points import Points

TEXTS = {
    "train": "ab ab ab ab abc abc b c abcabc cab\n" * 3,
    "test": "ab abd c\nabc ab cabab\nabcabc d cab\n",
    "novel": "abc\tnew\nabab\told\ncab\tnew\n",
    "gold": "abcab\tabc ab, ab cab\tone\ncab\tc ab\ttwo\nabab\tab ab\ttwo\nbb\tb b, bb\tone\n",
}
MATCHED = "{learner: bpe, segmenter: longest-match}"
SPLIT = "{learner: bpe, name: s, split: words}"
SYSTEMS = f"[{BPE}, {MATCHED}, {SPLIT}, char, word]"
OTHER = """
from tokbench.api import AdditiveMetric, Learner, Segmenter, Vocabulary, hookimpl
class Open(Learner):
    "Know the first words."
    def learn(self, words, size):
        return Vocabulary(tuple(words)[:size.total], segmenter={"use": "plain"})
class Plain(Segmenter):
    "Leave words whole."
    def segment(self, word, prepared):
        return [word]
class Density(AdditiveMetric):
    "Tokens over |V|."
    formula, range = "tokens / |V|", (0, 9)
    def count(self, segmentation):
        return {"tokens": segmentation.tokens}
    def score(self, sums, vocabulary_size):
        return sums["tokens"] / vocabulary_size
class Failing(Density):
    "Take one vocabulary size only."
    def score(self, sums, vocabulary_size):
        return sums["tokens"] / float(vocabulary_size)
class Narrow(Density):
    "Give one number."
    def score(self, sums, vocabulary_size):
        return 1.0
class Odd(Density):
    "Count otherwise by state."
    per = "line"
    def count(self, segmentation):
        return {"tokens": segmentation.sum_lines(segmentation.tokens)}
    def count_states(self, segmentation):
        return {"tokens": segmentation.tokens[1:]}
@hookimpl
def tokbench_learners():
    return {"open": Open}
@hookimpl
def tokbench_segmenters():
    return {"plain": Plain}
@hookimpl
def tokbench_metrics():
    return {"density": Density, "failing": Failing, "narrow": Narrow, "odd": Odd}
"""

Key = tuple[str, str, str, str]


def curves_of(run: Run) -> dict[Key, CurveSteps]:
    assert run.curves is not None
    return {(c.system, c.corpus, c.subset, c.metric): c for c in run.curves}


def read(path: Path) -> dict[Key, dict[str, str]]:
    """Read curves.csv: for each curve the written sizes with their values."""
    found: dict[Key, dict[str, str]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for system, corpus, subset, metric, size, value in list(csv.reader(file))[1:]:
            found.setdefault((system, corpus, subset, metric), {})[size] = value
    return found


def at(written: Mapping[str, str], size: str) -> str:
    """Give the value at a size: that of the last line up to it."""
    number = int(size.rpartition(":")[2])
    before = [value for s, value in written.items() if int(s.rpartition(":")[2]) <= number]
    return before[-1]


@pytest.mark.parametrize(
    ("key", "first", "last"), [("sizes", 3, 16), ("sizes", 9, 12), ("merges", 0, 12)]
)
def test_each_size_is_what_a_run_at_that_size_gives(
    tmp_path: Path, key: str, first: int, last: int
) -> None:
    """Every additive scalar metric, corpus and subset, against runs that list every size."""
    curve = f"{{from: {first}, to: {last}, curve: true}}"
    listed = f"[{', '.join(map(str, range(first, last + 1)))}]"
    given = {"texts": TEXTS, "corpora": LISTED, "metrics": None, "systems": SYSTEMS}
    sizes = {"sizes": None, "merges": None}
    found = tiny_run(tmp_path, **given, **{**sizes, key: curve})
    rows = tiny_run(tmp_path, **given, **{**sizes, key: listed}).rows
    assert found.curves is not None
    write_curves(tmp_path / "curves.csv", found.curves)
    written = read(tmp_path / "curves.csv")
    compared = set()
    for row in rows:
        of = (row.system, row.corpus, row.subset, row.metric)
        if of in written:
            value = "" if row.value is None else format(row.value, ".12g")
            assert at(written[of], row.size) == value, (of, row.size)
            compared.add(of)
    assert compared == written.keys()
    metrics = {metric for *_, metric in compared}
    assert {"tokens", "fertility", "round-trip", "boundary-f1-bpr", "exact-match"} <= metrics
    left_out = {row.metric for row in rows if row.metric} - metrics
    assert left_out == {
        "attention-cost",
        "vocabulary-use",
        "token-length",
        "renyi-efficiency-declared",
        "renyi-efficiency-observed",
        "shannon-efficiency-declared",
        "shannon-efficiency-observed",
    }
    assert {system for system, *_ in compared} == {"bpe", "bpe+longest-match", "s", "word"}
    subsets = {subset for _, corpus, subset, _ in compared if corpus == "parts"}
    assert subsets == {"all", "unseen", "category:one", "category:two"}


def test_a_curve_by_hand(tmp_path: Path) -> None:
    """Ab abd c abc ab: 11 letters, with ab 7 tokens, with abc 6; |V| is 3, 4 and 5."""
    run = tiny_run(tmp_path, sizes="{from: 1, to: 9, curve: true}", systems=f"[{BPE}, char]")
    curve = curves_of(run)["bpe", "held-out", "all", "fertility"]
    assert curve.sizes.tolist() == [3, 4, 5]
    assert curve.values.tolist() == [11 / 5, 7 / 5, 6 / 5]
    assert curve.cells() == [("3", "2.2"), ("4", "1.4"), ("5", "1.2")]
    unseen = curves_of(run)["bpe", "held-out", "unseen", "fertility"]
    assert unseen.values.tolist() == [3, 2, 2]
    assert unseen.cells() == [("3", "3"), ("4", "2"), ("5", "2")]
    oov = curves_of(run)["bpe", "held-out", "all", "oov-words-running"]
    assert oov.cells() == [("3", "0.2"), ("5", "0.2")]
    assert [system for system, *_ in curves_of(run)] == ["bpe"] * 4


def test_listed_sizes_are_from_doubled_and_to(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{from: 3, to: 5}", systems=f"[{BPE}]")
    assert [outcome.size for outcome in run.record.outcomes] == ["3", "5"]
    assert run.curves is None


def test_what_is_learned_reaches_to(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{list: [3], to: 5}", systems=f"[{BPE}]")
    assert len(run.learned["bpe"].learned) == 2
    assert [outcome.vocabulary_size for outcome in run.record.outcomes] == [3]


def test_a_curve_needs_no_listed_size_above_the_alphabet(tmp_path: Path) -> None:
    sizes = "{list: [1], to: 5, curve: true}"
    run = tiny_run(tmp_path, sizes=sizes, systems=f"[{BPE}]")
    assert curves_of(run)["bpe", "held-out", "all", "fertility"].values.tolist() == [2.2, 1.4, 1.2]
    assert run.record.outcomes == ()


def test_a_range_below_the_alphabet_has_no_curve(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{from: 1, to: 2, curve: true}", systems=f"[{BPE}, char]")
    assert run.curves == ()
    assert run.record.failures == ()


@pytest.mark.parametrize("key", ["sizes", "merges"])
def test_sizes_that_do_not_exist_change_neither_curves_nor_advice(tmp_path: Path, key: str) -> None:
    """The text allows far fewer: all ranges that go beyond give the same files."""
    given = {"texts": {**TEXTS, "test": TEXTS["test"] * 20}, "systems": f"[{BPE}, word]"}
    found = []
    for to in (50, 1_000_000_000):
        sizes: dict[str, str | None] = {"sizes": None, "merges": None}
        sizes[key] = f"{{from: 1, list: [4, 5, 6, 7, 8, {to}], to: {to}, curve: true}}"
        run = tiny_run(tmp_path, **given, **sizes, metrics="[fertility]")
        assert run.curves
        write_curves(tmp_path / "curves.csv", run.curves)
        advice = [
            (one.key, one.curve_best_size, one.curve_within_size, one.knee_size)
            for one in run.advice
        ]
        assert len(advice) == 2
        found.append(((tmp_path / "curves.csv").read_bytes(), advice))
    assert found[0] == found[1]
    assert max(curve.sizes[-1] for curve in run.curves) < 20


def test_where_no_metric_adds_up_over_words_a_note_says_so(tmp_path: Path) -> None:
    sizes = "{from: 3, to: 5, curve: true}"
    given = {"sizes": sizes, "systems": f"[{BPE}]"}
    run = tiny_run(tmp_path, **given, metrics="[vocabulary-use]")
    assert run.curves == ()
    assert run.record.notes[-1] == "system bpe: no curve: no metric here adds up over words"
    both = tiny_run(tmp_path, **given, metrics="[vocabulary-use, fertility]")
    assert not [note for note in both.record.notes if "no curve" in note]


def test_systems_without_a_curve_are_noted(tmp_path: Path) -> None:
    plain = "{name: plain, learner: bpe, segmenter: plain}"
    systems = f"[{BPE}, open, {plain}, char]"
    run = tiny_run(tmp_path, OTHER, sizes="{from: 9, to: 9, curve: true}", systems=systems)
    assert {system for system, *_ in curves_of(run)} == {"bpe"}
    notes = [note for note in run.record.notes if "no curve" in note]
    assert notes == [
        "system open: no curve: its learner makes each size anew",
        "system plain: no curve: its segmenter gives no timeline",
    ]


def test_the_vocabulary_size_is_that_of_each_point(tmp_path: Path) -> None:
    """11 tokens over 3, 7 over 4, 6 over 5."""
    run = tiny_run(
        tmp_path, OTHER, sizes="{from: 3, to: 5, curve: true}", systems=f"[{BPE}]",
        metrics="[density]",
    )  # fmt: skip
    values = curves_of(run)["bpe", "held-out", "all", "density"].values
    assert values.tolist() == pytest.approx([11 / 3, 7 / 4, 6 / 5], rel=1e-11)


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("failing", "TypeError: only"),
        ("narrow", "it scored 3 sums as ()"),
        ("odd", "it counted (3,) in 'tokens', not one finite number a state"),
    ],
)
def test_a_metric_whose_curve_fails_costs_only_itself(
    tmp_path: Path, metric: str, reason: str
) -> None:
    run = tiny_run(
        tmp_path, OTHER, sizes="{list: [5], from: 3, curve: true}", systems=f"[{BPE}]",
        metrics=f"[{metric}, fertility]", texts={"test": "ab abd\n"},
    )  # fmt: skip
    assert {metric for *_, metric in curves_of(run)} == {"fertility"}
    (failure,) = run.record.failures
    assert failure.startswith(f"metric {metric}: {reason}")
    assert "(curve of system bpe, corpus held-out" in failure
    assert metric in {row.metric for row in run.rows}


def test_one_figure_is_the_cost_of_a_replay(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{from: 3, to: 5, curve: true}", systems=f"[{BPE}]")
    steps = [(cost.step, cost.size) for cost in run.record.cost if cost.system == "bpe"]
    assert [step for step in steps if step[0] in ("learn", "segment", "score", "curves")] == [
        ("learn", "5"),
        ("segment", ""),
        ("score", "3"),
        ("score", "5"),
        ("curves", ""),
    ]


def curve(values: list[float], first: int = 10, unit: str = "") -> Curve:
    asked = np.arange(first, first + len(values))
    points = Points(asked, asked, asked, unit, int(asked[-1]))
    return Curve("a, b", "t", "all", "m(x=1)", points, np.array(values))


def test_a_line_is_written_where_the_written_value_changes(tmp_path: Path) -> None:
    nan = float("nan")
    values = [nan, nan, 1 / 3, 1 / 3 + 1e-16, 1 / 3 + 1e-15, 2.0, nan, nan, 2.0]
    drawn = map(steps_of, [curve(values), curve([1.0, 1.0], 0, "merges:")])
    write_curves(tmp_path / "curves.csv", drawn)
    assert (tmp_path / "curves.csv").read_text() == (
        "system,corpus,subset,metric,size,value\n"
        '"a, b",t,all,m(x=1),10,\n'
        '"a, b",t,all,m(x=1),12,0.333333333333\n'
        '"a, b",t,all,m(x=1),15,2\n'
        '"a, b",t,all,m(x=1),16,\n'
        '"a, b",t,all,m(x=1),18,2\n'
        '"a, b",t,all,m(x=1),merges:0,1\n'
        '"a, b",t,all,m(x=1),merges:1,1\n'
    )


PARTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["", "a", "b", "ab"])), max_size=6
)


@settings(deadline=None)
@given(PARTS, st.integers(1, 9), st.integers(0, 9), st.booleans())
def test_points_have_the_learned_items_that_a_cut_leaves(
    parts: list[tuple[str, str]], first: int, more: int, total: bool
) -> None:
    """Also where an item builds what is a token already; beyond the last point nothing changes."""
    items = [Learned(pair) for pair in parts]
    vocabulary = Vocabulary.build(("a", "b", "c"), items)
    kind = "total" if total else "learned"
    points = Points.of(vocabulary, Span(Size(**{kind: first}), Size(**{kind: first + more}), True))
    found = dict(zip(points.asked.tolist(), points.learned.tolist(), strict=True))
    for number in range(first, first + more + 1):
        try:
            cut = vocabulary.cut(Size(**{kind: number}))
        except SizeError:
            assert number not in found
            continue
        known = [asked for asked in found if asked <= number]
        assert found[known[-1]] == len(cut.learned)
        assert points.total[known[-1] - known[0]] == cut.size
    assert all(b == a + 1 for a, b in pairwise(found))


def test_a_range_above_the_largest_vocabulary_is_one_point() -> None:
    vocabulary = Vocabulary.build(("a", "b"), [Learned(("a", "b"))])
    points = Points.of(vocabulary, Span(Size(total=50), Size(total=1_000_000_000), True))
    assert (points.asked.tolist(), points.learned.tolist(), points.total.tolist()) == (
        [50],
        [1],
        [3],
    )
