"""The tables of a run as data frames: what pandas would guess wrongly by itself."""

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.tiny import LISTED, tiny_run
from tokbench import Run
from tokbench.errors import UsageError
from tokbench.run_folder import write_run
from tokbench.run_folder.layout import Layout
from tokbench.run_folder.tables import CURVE_COLUMNS

ODD = "[{name: NA, learner: {use: bpe, eow: absent}}, {name: '007', learner: char}]"


def test_a_frame_holds_the_rows_with_names_and_sizes_as_text(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=ODD)
    frame = run.frame("results")
    assert [*frame["system"]] == [row.system for row in run.rows]
    assert [*frame["size"]] == [row.size for row in run.rows]
    assert "NA" in {*frame["system"]}
    assert "" in {*frame["size"]}
    assert {*frame["status"]} == {"ok"}
    for column in ("value", "low", "p_holm", "training_share"):
        values = [getattr(row, column) for row in run.rows]
        expected = [math.nan if value is None else value for value in values]
        assert [*frame[column]] == pytest.approx(expected, nan_ok=True)


def test_every_table_is_the_same_from_its_folder(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems=ODD, sizes="{from: 3, to: 5, curve: true}")
    write_run(tmp_path / "out", run)
    loaded = Run.load(tmp_path / "out")
    for name in ("results", "coverage", "curves", "advice", "sizes", "signatures"):
        frame = run.frame(name)
        assert len(frame)
        assert frame.equals(loaded.frame(name)), name
    assert {*run.frame("advice")["best_size"]} == {"3", "5"}
    assert run.frame("advice")["tolerance"].dtype == np.float64
    assert run.frame("curves")["value"].dtype == np.float64
    assert [*run.frame("signatures")["end"]][-1] == ""


def test_a_table_that_there_is_not_is_named(tmp_path: Path) -> None:
    names = (
        "results, comparisons, coverage, advice, sizes, unseen, growth, signatures, curves, "
        "health, numbers"
    )
    with pytest.raises(UsageError, match=rf"^the run has no table 'curve'; there are: {names}$"):
        tiny_run(tmp_path).frame("curve")


def test_a_table_without_lines_has_its_columns_and_no_file(tmp_path: Path) -> None:
    run = tiny_run(tmp_path)
    write_run(tmp_path / "out", run)
    loaded = Run.load(tmp_path / "out")
    for name in ("growth", "curves"):
        assert not (tmp_path / "out" / Layout().table(name)).exists()
        assert loaded.frame(name).equals(run.frame(name))
        assert loaded.frame(name).empty
    assert [*loaded.frame("curves")] == [*CURVE_COLUMNS]
    assert loaded.frame("growth").dtypes["training_words"] == "Int64"


def test_counts_are_whole_numbers_or_absent(tmp_path: Path) -> None:
    run = tiny_run(tmp_path, systems="[bpe, char]")
    expected = [row.vocabulary_size for row in run.rows]
    sizes = run.frame()["vocabulary_size"]
    assert sizes.dtype == "Int64"
    assert [None if pd.isna(size) else size for size in sizes] == expected
    assert isinstance(sizes[0], int | np.integer)


def test_the_example_of_the_page(tmp_path: Path, root: Path) -> None:
    page = (root / "docs" / "how-to" / "python.md").read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0].strip()
    assert "tokbench.load" in example
    texts = {"novel": "ab\tblend\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics="[fertility]")
    write_run(tmp_path / "out", run)
    *lines, last = re.sub(r"runs/[^\"]*", f"{tmp_path}/out", example).split("\n")
    names: dict[str, Any] = {}
    exec("\n".join([*lines, f"table = {last}"]), names)
    table = names["table"]
    rows = [row for row in run.rows if (row.corpus, row.subset) == ("held-out", "all")]
    assert len(rows) == table.count().sum() > 3
    for row in rows:
        assert table.loc[row.system, row.size] == row.value
