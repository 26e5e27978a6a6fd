"""The tables: columns from fields, what is text, and that all of them are documented."""

import re
from pathlib import Path

import pytest

from tokbench.run_folder.run import TABLES
from tokbench.run_folder.tables import (
    CURVE_COLUMNS,
    SignatureRow,
    SizeStatistics,
    cells,
    columns,
    read_table,
    rounded,
    write_lines,
)

from .sample import RUN


def test_every_column_of_every_table_is_described(root: Path) -> None:
    page = (root / "docs" / "reference" / "run.md").read_text(encoding="utf-8")
    for name, (_, kind) in {**TABLES, "curves": ("", None)}.items():
        (section,) = (s for s in page.split("\n## ") if f"{name}.csv" in s.split("\n")[0])
        missing = {*(CURVE_COLUMNS if kind is None else columns(kind))} - {
            *re.findall(r"`(.*?)`", section)
        }
        assert not missing, name


def test_a_row_is_rounded_to_what_is_written() -> None:
    row = rounded(SizeStatistics("NA", "0500", 3, 10**15, 1 / 3, None, 2 / 3 * 1e-9, 1e300))
    assert row == SizeStatistics(
        "NA", "0500", 3, 10**15, 0.333333333333, None, 6.66666666667e-10, 1e300
    )
    assert rounded(row) == row
    assert cells(row)[:6] == ["NA", "0500", "3", "1000000000000000", "0.333333333333", ""]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_reads_back(tmp_path: Path, name: str) -> None:
    attribute, kind = TABLES[name]
    rows = getattr(RUN, attribute)
    write_lines(tmp_path / "t.csv", columns(kind), map(cells, rows))
    assert read_table((tmp_path / "t.csv").read_bytes(), kind) == rows


def test_cells_are_quoted_and_lone_surrogates_escaped(tmp_path: Path) -> None:
    line = cells(SignatureRow('say "a"', "", "1,2", "\ud800", ""))
    write_lines(tmp_path / "t.csv", columns(SignatureRow), [line])
    assert (tmp_path / "t.csv").read_bytes() == (
        b'system,size,corpus,beginning,end\n"say ""a""",,"1,2",\\ud800,\n'
    )
