"""Rows: differences, intervals, Holm within families, and how numbers are written."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.tiny import BPE, tiny_run
from tokbench import Run
from tokbench.run_folder import write_run
from tokbench.run_folder.csvfile import cell
from tokbench.run_folder.tables import Row, columns, write_table
from tokbench.runner.rows import adjust, with_estimate
from tokbench.runner.scoring import Estimate

ROW = Row(
    system="char", learner="char", segmenter="char", train="english", corpus="held-out",
    subset="all", context="isolated", size="", vocabulary_size=26, metric="fertility",
    better="lower", baseline="bpe@4000",
)  # fmt: skip
HIGH = Estimate(4.0, n=100, samples=np.full(99, 4.0) + np.linspace(-0.1, 0.1, 99))
LOW = Estimate(2.0, n=100, samples=np.full(99, 2.0))


def test_columns_are_those_of_the_format() -> None:
    assert ",".join(columns(Row)) == (
        "system,learner,segmenter,train,corpus,subset,context,size,vocabulary-size,training-share,"
        "metric,better,status,value,low,high,n,baseline,difference,difference-low,difference-high,"
        "p,p-holm,repeats,repeat-sd"
    )


def test_a_difference_is_system_minus_baseline() -> None:
    row = with_estimate(ROW, HIGH, LOW)
    assert row.difference == 2
    assert row.low == pytest.approx(3.905)
    assert row.difference_high == pytest.approx(2.095)
    assert row.p == 2 / 100


def test_the_baseline_has_no_difference_from_itself() -> None:
    row = with_estimate(replace(ROW, baseline=None), LOW, None)
    assert (row.value, row.difference, row.p, row.baseline) == (2, None, None, None)


def test_without_resamples_only_the_difference_is_left() -> None:
    row = with_estimate(ROW, Estimate(3.0, n=7), Estimate(2.0, n=7))
    assert (row.value, row.low, row.difference, row.difference_low, row.p) == (
        3,
        None,
        1,
        None,
        None,
    )


def test_what_is_undefined_stays_empty() -> None:
    undefined = Estimate(float("nan"), n=0)
    row = with_estimate(ROW, undefined, LOW)
    assert (row.value, row.n, row.difference, row.baseline) == (None, None, None, None)
    assert (row.status, ROW.status) == ("undefined", "ok")
    row = with_estimate(ROW, HIGH, undefined)
    assert (row.value, row.difference, row.baseline) == (4, None, None)


def test_holm_is_taken_within_metric_corpus_subset_and_size() -> None:
    first = [replace(ROW, system=name, p=p) for name, p in (("a", 0.01), ("b", 0.04))]
    other_size = replace(ROW, size="500", p=0.03)
    undefined = replace(ROW, system="c")
    adjusted = adjust([*first, other_size, undefined])
    assert [row.p_holm for row in adjusted] == [0.02, 0.04, 0.03, None]
    assert [row.significant for row in adjusted] == [True, True, True, False]


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (8 / 21, "0.380952380952"), (21.0, "21"), (0.0, "0"), (26, "26"), ("a", "a")],
)
def test_cells_have_twelve_digits_and_undefined_is_empty(value: object, text: str) -> None:
    assert cell(value) == text


def test_the_file_reads_back_with_every_column(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    write_table(path, Row, [replace(ROW, value=0.5, system='a "quoted", name')])
    (row,) = csv.DictReader(path.open(encoding="utf-8", newline=""))
    assert tuple(row) == columns(Row)
    assert (row["system"], row["value"], row["low"]) == ('a "quoted", name', "0.5", "")


def missing(folder: Path, **given: str) -> list[tuple[str, str, str]]:
    rows = tiny_run(folder, **given).rows
    return [(row.system, row.size, row.status) for row in rows if not row.metric]


def test_a_size_without_results_has_the_reason_of_the_run_that_should_have_given_it(
    tmp_path: Path,
) -> None:
    """BPE learns all sizes at once, at the largest; a broken timeline fails the whole system."""
    learner = """
from tokbench.api import Learner, Segmenter, hookimpl
class Failing(Learner):
    "Fail where all sizes come from one run."
    @property
    def prefix_closed(self):
        return True
    def learn(self, words, size):
        raise ValueError(f"no {size}")
class Wrong(Segmenter):
    "Fail at the timeline."
    def segment(self, word, prepared):
        return [*word]
    def timeline(self, words, prepared, since=0):
        raise ValueError("no timeline")
tokbench_learners = hookimpl(lambda: {"failing": Failing})
tokbench_segmenters = hookimpl(lambda: {"wrong": Wrong})
"""
    systems = f"[failing, char, {{name: wrong, learner: bpe, segmenter: wrong}}, {BPE}]"
    assert missing(tmp_path, plugin=learner, systems=systems, sizes="[2, 7, 9]") == [
        ("failing", "2", "at size 9: ValueError: no 9"),
        ("failing", "7", "at size 9: ValueError: no 9"),
        ("failing", "9", "ValueError: no 9"),
        ("wrong", "2", "left out: size 2 is below the alphabet of 6"),
        ("wrong", "7", "ValueError: no timeline"),
        ("wrong", "9", "ValueError: no timeline"),
        ("bpe", "2", "left out: size 2 is below the alphabet of 3"),
    ]


@pytest.mark.parametrize("said", ["x" * 200_000, 'one\\n two\\r\\x00 \\"three\\"\\udcff'])
def test_a_reason_is_one_line_whatever_a_library_says(tmp_path: Path, said: str) -> None:
    failing = f"""
from tokbench.api import InputError, Learner, hookimpl
class Failing(Learner):
    "Fail."
    def learn(self, words, size):
        raise InputError("{said}")
tokbench_learners = hookimpl(lambda: {{"failing": Failing}})
"""
    run = tiny_run(tmp_path, failing, systems="[failing, char]", sizes="[4]")
    reason = run.rows[-1].status
    assert 0 < len(reason) <= 500
    assert "\n" not in reason
    write_run(tmp_path / "out", run)
    shown = reason.encode("utf-8", "backslashreplace").decode()
    assert Run.load(tmp_path / "out").rows[-1].status == shown


def test_a_run_whose_systems_all_have_results_misses_none(tmp_path: Path) -> None:
    assert missing(tmp_path) == []
