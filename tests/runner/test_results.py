"""Rows: differences, intervals, Holm within families, and how numbers are written."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tiny import BPE, tiny_run
from tokbench import Run
from tokbench.run_folder import write_run
from tokbench.run_folder.tables import Row, cell, cells, columns, write_lines

ROW = Row(
    system="char", corpus="held-out", subset="all", context="isolated", size="",
    vocabulary_size=26, metric="fertility", baseline="bpe@4000",
)  # fmt: skip


def test_columns_are_those_of_the_format() -> None:
    assert ",".join(columns(Row)) == (
        "system,corpus,subset,context,size,vocabulary-size,training-share,"
        "metric,status,gated,value,low,high,n,events,event-units,baseline,difference,difference-low,difference-high,"
        "p,p-holm,repeats,repeat-sd,training-samples,training-agree,training-sd,short-text"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (8 / 21, "0.380952380952"), (21.0, "21"), (0.0, "0"), (26, "26"), ("a", "a")],
)
def test_cells_have_twelve_digits_and_undefined_is_empty(value: object, text: str) -> None:
    assert cell(value) == text


def test_the_file_reads_back_with_every_column(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    line = cells(replace(ROW, value=0.5, system='a "quoted", name'))
    write_lines(path, columns(Row), [line])
    (row,) = csv.DictReader(path.open(encoding="utf-8", newline=""))
    assert tuple(row) == columns(Row)
    assert (row["system"], row["value"], row["low"]) == ('a "quoted", name', "0.5", "")


def missing(folder: Path, **keys: str) -> list[tuple[str, str, str]]:
    rows = tiny_run(folder, **keys).rows
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
        ("failing", "2", "at size 9: ValueError: no 9 (plugin.py:9)"),
        ("failing", "7", "at size 9: ValueError: no 9 (plugin.py:9)"),
        ("failing", "9", "ValueError: no 9 (plugin.py:9)"),
        ("wrong", "2", "left out: size 2 is below the alphabet of 6"),
        ("wrong", "7", "ValueError: no timeline (plugin.py:15)"),
        ("wrong", "9", "ValueError: no timeline (plugin.py:15)"),
        ("bpe", "2", "left out: size 2 is below the alphabet of 3"),
    ]


@pytest.mark.parametrize("error_text", ["x" * 200_000, 'one\\n two\\r\\x00 \\"three\\"\\udcff'])
def test_a_reason_is_one_line_whatever_a_library_says(tmp_path: Path, error_text: str) -> None:
    failing = f"""
from tokbench.api import InputError, Learner, hookimpl
class Failing(Learner):
    "Fail."
    def learn(self, words, size):
        raise InputError("{error_text}")
tokbench_learners = hookimpl(lambda: {{"failing": Failing}})
"""
    run = tiny_run(tmp_path, failing, systems="[failing, char]", sizes="[4]")
    reason = run.rows[-1].status
    assert 0 < len(reason) <= 500
    assert "\n" not in reason
    write_run(tmp_path / "out", run)
    shown = reason.encode("utf-8", "backslashreplace").decode()
    assert Run.load(tmp_path / "out").rows[-1].status == shown
