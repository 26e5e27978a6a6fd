"""Whole curves: at every size what learning that size, segmenting and scoring gives."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokbench_bpe.segmenters import LongestMatch

from tests.cutting import CORPUS, SYSTEM, made, run_with
from tests.run_cli import tokbench_here
from tests.timelines import Cutting
from tests.tiny import BPE, FEWER_EXAMPLES, LISTED, TinyRun, config, learned, steps, tiny_run, value
from tests.tiny import TEXTS as TINY
from tokbench.api import Learned, Metric, Size, SizeError, Vocabulary
from tokbench.api.arrays import Segmentation

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
from dataclasses import replace
from tokbench.api import Metric, Learner, Segmenter, Vocabulary, hookimpl
from tokbench_bpe.learner import Bpe
class Last(Bpe):
    "Put the unknown token behind the learned ones."
    def learn(self, words, size):
        learned = super().learn(words, size)
        return replace(learned, tokens=(*learned.tokens, "<unk>"), unknown=len(learned.tokens))
class Open(Learner):
    "Know the first words."
    def learn(self, words, size):
        return Vocabulary(tuple(words)[:size.total], segmenter={"use": "plain"})
class Plain(Segmenter):
    "Leave words whole."
    def segment(self, word, prepared):
        return [word]
class Density(Metric):
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
    return {"open": Open, "last": Last}
@hookimpl
def tokbench_segmenters():
    return {"plain": Plain}
@hookimpl
def tokbench_metrics():
    return {"density": Density, "failing": Failing, "narrow": Narrow, "odd": Odd}
"""

Key = tuple[str, str, str, str]


def curves_of(run: TinyRun) -> dict[Key, dict[str, str]]:
    """Return the values of each curve, by the sizes at which they change."""
    assert run.curves is not None
    return {c.names: {size: value for *_, size, value in c.lines()} for c in run.curves}


def fertility(run: TinyRun) -> dict[str, str]:
    return curves_of(run)["bpe", "held-out", "all", "fertility"]


def at(written: Mapping[str, str], size: str) -> str:
    """Return the value at a size: that of the last line up to it."""
    number = int(size.rpartition(":")[2])
    before = [value for s, value in written.items() if int(s.rpartition(":")[2]) <= number]
    return before[-1]


@pytest.mark.ci
def test_each_size_is_what_a_run_at_that_size_gives(tmp_path: Path) -> None:
    """Every additive scalar metric, corpus and subset, against runs that list every size."""
    keys = {"texts": TEXTS, "corpora": LISTED, "metrics": "all", "systems": SYSTEMS}
    keys |= {"sizes": None, "resamples": "1"}
    run = tiny_run(tmp_path, **keys, merges="{from: 1, to: 4, curve: true}")
    rows = tiny_run(tmp_path, **keys, merges="[1, 2, 3, 4]").rows
    written = curves_of(run)
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
    assert fertility(run) == {"3": "2.2", "4": "1.4", "5": "1.2"}
    unseen = curves_of(run)["bpe", "held-out", "unseen", "fertility"]
    assert unseen == {"3": "3", "4": "2", "5": "2"}
    oov = curves_of(run)["bpe", "held-out", "all", "oov-words-running"]
    assert oov == {"3": "0.2", "5": "0.2"}
    assert [system for system, *_ in curves_of(run)] == ["bpe"] * 4


def test_listed_sizes_are_from_doubled_and_to(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{from: 3, to: 5}", systems=f"[{BPE}]")
    assert [*dict.fromkeys(row.size for row in run.rows)] == ["3", "5"]
    assert run.curves is None


def test_what_is_learned_reaches_to(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{list: [3], to: 5}", systems=f"[{BPE}]")
    assert len(learned(run)["bpe"].learned) == 2
    assert {(row.size, row.vocabulary_size) for row in run.rows} == {("3", 3)}


def test_a_curve_needs_no_listed_size_above_the_alphabet(tmp_path: Path) -> None:
    sizes = "{list: [1], to: 5, curve: true}"
    run = tiny_run(tmp_path, sizes=sizes, systems=f"[{BPE}]")
    assert fertility(run) == {"3": "2.2", "4": "1.4", "5": "1.2"}
    (missing,) = run.rows
    assert (missing.size, missing.value) == ("1", None)
    assert missing.status == "left out: size 1 is below the alphabet of 3"


def test_a_range_below_the_alphabet_has_no_curve(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{from: 1, to: 2, curve: true}", systems=f"[{BPE}, char]")
    assert run.curves == ()
    assert run.failures == ()


def run_folder(
    folder: Path, plugin: str = "", texts: Mapping[str, str] | None = None, **keys: str | None
) -> Path:
    """Run a config by the command line; return the run folder."""
    for name, text in {**TINY, **(texts or {}), "plugin": plugin}.items():
        (folder / name).with_suffix(".py" if name == "plugin" else ".txt").write_text(text)
    (folder / "config.yaml").write_text(config(**keys), encoding="utf-8")
    plugins = ["-p", "plugin.py"] if plugin else []
    done = tokbench_here("run", "-q", "config.yaml", "-o", "out", *plugins, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "out"


ON_CURVES = ("curve-best-size", "curve-within-size", "knee-of", "knee-size", "knee-value")


@pytest.mark.parametrize("key", ["sizes", "merges"])
def test_sizes_that_do_not_exist_change_neither_curves_nor_advice(tmp_path: Path, key: str) -> None:
    """The text allows far fewer: all ranges that go beyond give the same files."""
    texts = {**TEXTS, "test": TEXTS["test"] * 20}
    outputs = []
    for to in (50, 1_000_000_000):
        sizes: dict[str, str | None] = {"sizes": None, "merges": None}
        sizes[key] = f"{{from: 1, list: [4, 5, 6, 7, 8, {to}], to: {to}, curve: true}}"
        keys = {"systems": f"[{BPE}, word]", "metrics": "[fertility]"}
        folder = run_folder(tmp_path, "", texts, **keys, **sizes)
        with (folder / "data/advice.csv").open(encoding="utf-8", newline="") as file:
            advice = [[line["system"], *(line[name] for name in ON_CURVES)]
                      for line in csv.DictReader(file)]  # fmt: skip
        assert len(advice) == 2
        assert all(line[1] for line in advice)
        written = (folder / "data/curves.csv").read_text("utf-8")
        last = [int(line.split(",")[4].rpartition(":")[2]) for line in written.splitlines()[1:]]
        assert max(last) < 20
        outputs.append((written, advice))
    assert outputs[0] == outputs[1]


def test_where_no_metric_adds_up_over_words_a_note_says_so(tmp_path: Path) -> None:
    sizes = "{from: 3, to: 5, curve: true}"
    keys = {"sizes": sizes, "systems": f"[{BPE}]"}
    run = tiny_run(tmp_path, **keys, metrics="[vocabulary-use]")
    assert run.curves == ()
    assert run.notes[-1] == "system bpe: no curve: no metric here adds up over words"
    both = tiny_run(tmp_path, **keys, metrics="[vocabulary-use, fertility]")
    assert not [note for note in both.notes if "no curve" in note]


def test_systems_without_a_curve_are_noted(tmp_path: Path) -> None:
    plain = "{name: plain, learner: bpe, segmenter: plain}"
    systems = f"[{BPE}, open, {plain}, last, char]"
    run = tiny_run(tmp_path, OTHER, sizes="{from: 9, to: 9, curve: true}", systems=systems)
    assert {system for system, *_ in curves_of(run)} == {"bpe"}
    notes = [note for note in run.notes if "no curve" in note]
    assert notes == [
        "system open: no curve: its learner cannot cut a smaller vocabulary from a larger one, so "
        "each size is learned separately",
        "system plain: no curve: its segmenter has no timeline",
        "system last: no curve: its tokens get other ids when its vocabulary is cut",
    ]


def test_the_vocabulary_size_is_that_of_each_point(tmp_path: Path) -> None:
    """11 tokens over 3, 7 over 4, 6 over 5."""
    run = tiny_run(
        tmp_path, OTHER, sizes="{from: 3, to: 5, curve: true}", systems=f"[{BPE}]",
        metrics="[density]",
    )  # fmt: skip
    values = curves_of(run)["bpe", "held-out", "all", "density"]
    assert values == {"3": f"{11 / 3:.12g}", "4": "1.75", "5": "1.2"}


@pytest.mark.parametrize(
    ("metric", "reason"),
    [
        ("failing", "TypeError: only"),
        ("narrow", "it scored 1.0, not 3 numbers, one for each sum"),
        ("odd", "it counted (3,) in 'tokens', not 4 rows"),
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
    (failure,) = run.failures
    assert failure.startswith(f"metric {metric}: {reason}")
    assert "(system bpe, curve, corpus held-out" in failure
    assert metric in {row.metric for row in run.rows}


def test_one_figure_is_the_cost_of_a_replay(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, sizes="{from: 3, to: 5, curve: true}", systems=f"[{BPE}]")
    measured = [(step, size) for system, step, size in steps(run) if system == "bpe"]
    assert [step for step in measured if step[0] in ("learn", "segment", "score", "curves")] == [
        ("learn", "5"),
        ("segment", ""),
        ("score", "3"),
        ("score", "5"),
        ("curves", ""),
    ]


TABLE = """
import numpy as np
from tokbench.api import Metric, hookimpl
NAN = float("nan")
VALUES = [NAN, NAN, 1 / 3, 1 / 3 + 1e-16, 1 / 3 + 1e-15, 2.0, NAN, NAN, 2.0]
class Table(Metric):
    "Give what a test says of 10 to 18 tokens."
    formula, range = "a table", (0, 9)
    x: int = 0
    def count(self, segmentation):
        return {"tokens": segmentation.tokens}
    def score(self, sums, vocabulary_size):
        values = np.array([*VALUES, 1.0])[np.asarray(vocabulary_size) - 10]
        return values + 0 * sums["tokens"]
@hookimpl
def tokbench_metrics():
    return {"table": Table}
"""


def written(folder: Path, **sizes: str | None) -> list[str]:
    """Return the curve of all words from a text that has 10 letters, and 9 merges."""
    system = "{name: 'a, b', learner: {use: bpe, eow: absent}}"
    out = run_folder(
        folder, TABLE, {"train": "abcdefghij\n"}, systems=f"[{system}]",
        metrics="[{use: table, x: 1}]", corpora="{train: train.txt, test: {t: test.txt}}", **sizes,
    )  # fmt: skip
    lines = (out / "data/curves.csv").read_text("utf-8").splitlines()
    return [lines[0], *(line for line in lines if ",t,all," in line)]


def test_a_line_is_written_where_the_written_value_changes(tmp_path: Path) -> None:
    """Values that differ beyond the 12th digit are written as one; NaN is written as nothing."""
    assert written(tmp_path, sizes="{from: 10, to: 18, curve: true}") == [
        "system,corpus,subset,metric,size,value",
        '"a, b",t,all,table(x=1),10,',
        '"a, b",t,all,table(x=1),12,0.333333333333',
        '"a, b",t,all,table(x=1),15,2',
        '"a, b",t,all,table(x=1),16,',
        '"a, b",t,all,table(x=1),18,2',
    ]
    assert written(tmp_path, sizes=None, merges="{from: 3, to: 4, curve: true}")[1:] == [
        '"a, b",t,all,table(x=1),merges:3,0.333333333333',
        '"a, b",t,all,table(x=1),merges:4,0.333333333333',
    ]


class Total(Metric):
    """The size of the vocabulary."""

    formula, range = "|V|", (0, float("inf"))

    def count(self, segmentation: Segmentation) -> Mapping[str, Any]:
        return {"words": segmentation.tokens > 0}

    def score(self, sums: Mapping[str, Any], vocabulary_size: int) -> Any:
        return vocabulary_size + 0 * sums["words"]


PARTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["", "a", "b", "ab"])), max_size=6
)
LONGEST = made(Cutting, wrapped=LongestMatch())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("curves")


@FEWER_EXAMPLES
@given(PARTS, st.integers(1, 9), st.integers(0, 9), st.booleans())
def test_a_curve_has_the_vocabularies_that_a_cut_leaves(
    folder: Path, parts: list[tuple[str, str]], smallest: int, width: int, total: bool
) -> None:
    """Also where an item builds what is a token already; beyond the last point nothing changes."""
    items = [Learned(pair) for pair in parts]
    vocabulary = Vocabulary.build(("a", "b", "c"), items)
    kind = "total" if total else "learned"
    listed = [*range(smallest, smallest + width + 1)]
    span = f"{{from: {smallest}, to: {smallest + width}, list: {listed}, curve: true}}"
    run = run_with(
        folder, vocabulary, LONGEST, ["ab ba aab bab cab abc"], merges=None if total else span,
        **({"sizes": span} if total else {}), metrics="[total, tokens]",
        components={"total": Total},
    )  # fmt: skip
    by_key = curves_of(run)
    curves = {metric: by_key[key] for key in by_key for metric in key[3:] if key[2] == "all"}
    for number in listed:
        size = Size(**{kind: number})
        try:
            cut = vocabulary.cut(size)
        except SizeError:
            assert all(int(size.rpartition(":")[2]) > number for size in curves.get("total", ()))
            continue
        assert run.vocabulary(SYSTEM, str(size)) == cut
        for metric in ("total", "tokens"):
            listed_value = value(run, SYSTEM, metric, corpus=CORPUS, size=str(size))
            assert at(curves[metric], str(size)) == f"{listed_value:.12g}"
        assert at(curves["total"], str(size)) == str(cut.size)
