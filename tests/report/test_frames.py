"""The tables of a run as data frames: what pandas would guess wrongly by itself."""

import math
import re
from pathlib import Path
from typing import Any

import pytest

from tests.tiny import LISTED, tiny_run
from tokbench.errors import InputError
from tokbench.report.frames import read_frame
from tokbench.runner.results import write_csv


def test_a_run_reads_back_as_it_was(tmp_path: Path) -> None:
    run = tiny_run(
        tmp_path,
        systems="[{name: NA, learner: {use: bpe, eow: absent}}, {name: '007', learner: char}]",
    )
    write_csv(run.rows, tmp_path / "results.csv")
    frame = read_frame(tmp_path / "results.csv")
    assert [*frame["system"]] == [row.system for row in run.rows]
    assert [*frame["size"]] == [row.size for row in run.rows]
    assert "NA" in {*frame["system"]}
    assert "" in {*frame["size"]}
    for column in ("value", "low", "p-holm"):
        written = [getattr(row, column.replace("-", "_")) for row in run.rows]
        known = [math.nan if value is None else value for value in written]
        assert [*frame[column]] == pytest.approx(known, rel=1e-11, nan_ok=True)


def test_the_example_of_the_readme(tmp_path: Path, root: Path) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    example = readme.split("```python\n")[1].split("```")[0].strip()
    assert "read_frame" in example
    texts = {"novel": "ab\tblend\n", "gold": "abc\tab c\n"}
    run = tiny_run(tmp_path, texts=texts, corpora=LISTED, metrics="[fertility]")
    write_csv(run.rows, tmp_path / "results.csv")
    *lines, last = re.sub(r"runs/[^\"]*", f"{tmp_path}/results.csv", example).split("\n")
    names: dict[str, Any] = {}
    exec("\n".join([*lines, f"table = {last}"]), names)
    table = names["table"]
    known = [row for row in run.rows if (row.corpus, row.subset) == ("held-out", "all")]
    assert len(known) == table.count().sum() > 3
    for row in known:
        assert table.loc[row.system, row.size] == pytest.approx(row.value, rel=1e-11)


def test_what_is_no_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("system,value\nbpe,much\n", encoding="utf-8")
    for path in (tmp_path / "results.csv", tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match="not a table of a run"):
            read_frame(path)
