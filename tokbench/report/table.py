"""Print one table in the form that the user chose."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from typing import IO

from tokbench.report.plain import one_line, printable

Cells = Sequence[str]


def print_table(columns: Cells, rows: Sequence[Cells], form: str, out: IO[str]) -> None:
    """Write a table as `table` (aligned), `csv`, `json` (a list of objects) or `md`."""
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([columns, *rows])
    elif form == "json":
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        out.write(json.dumps(objects, indent=1, ensure_ascii=False) + "\n")
    elif form == "md":
        out.write(markdown_table(columns, rows))
    else:
        out.write(aligned_table(columns, rows))


def print_records(
    records: Sequence[Mapping[str, str]], columns: Cells, form: str, out: IO[str]
) -> None:
    """Write some columns of records as `print_table` does."""
    print_table(columns, [[record[column] for column in columns] for record in records], form, out)


def markdown_table(
    columns: Cells, rows: Sequence[Cells], right: int | None = None, verbatim: bool = False
) -> str:
    """Return a Markdown table; columns from number `right` on are aligned to the right.

    Titles and cells are escaped; cells that are `verbatim` are Markdown already.
    """
    right = len(columns) if right is None else right
    rule = ["---" if i < right else "---:" for i in range(len(columns))]
    body = rows if verbatim else [[escaped(cell) for cell in row] for row in rows]
    head = [escaped(column) for column in columns]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in (head, rule, *body))


def escaped(text: str) -> str:
    """Escape what Markdown or a table would take as markup."""
    for char in "\\`*_[]<>|":
        text = text.replace(char, "\\" + char)
    return one_line(text)


def code(text: str, in_table: bool = False) -> str:
    """Show a text verbatim inside Markdown: its fence is longer than any backticks inside."""
    text = one_line(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    shown = f"{'`' * (longest + 1)}{pad}{text}{pad}{'`' * (longest + 1)}"
    return shown.replace("|", "\\|") if in_table else shown


def aligned_table(columns: Cells, rows: Sequence[Cells]) -> str:
    """Return a plain table whose columns line up, wide characters counted as two cells."""
    from rich.cells import cell_len

    lines = [[printable(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(columns))]
    return "".join(
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        + "\n"
        for line in lines
    )
