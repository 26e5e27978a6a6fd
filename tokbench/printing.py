"""Print tables, numbers and texts, safe to show: tokens come from texts that nobody has vetted."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from typing import IO, Any

__all__ = [
    "aligned_table",
    "cell",
    "code",
    "escaped",
    "harmless",
    "json_text",
    "markdown_table",
    "one_line",
    "print_records",
    "print_table",
    "printable",
]

Cells = Sequence[str]

UNSAFE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f"  # control characters, but for the end of a line
    r"\u2028\u2029\ud800-\udfff"  # line and paragraph separators, lone surrogates
    r"\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls
    r"\u200b\u2060\ufeff]"  # spaces of no width
)


FORMULA = tuple("=+-@\t\r")
"""How a text begins that spreadsheets take for a formula."""


def printable(text: str) -> str:
    """Escape what would move a cursor, reorder or hide text; the end of a line stays.

    These are control characters, line and paragraph separators, lone surrogates, bidirectional
    controls, and spaces of no width.
    """
    return UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def json_text(value: object, **style: Any) -> str:
    """Write JSON that people can read: only what is not printable is escaped.

    `style` are arguments of `json.dumps`.
    """
    text = json.dumps(value, ensure_ascii=False, **style)
    return UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def one_line(text: str) -> str:
    """Make a text safe to show where it may not end the line."""
    return printable(text).replace("\n", "\\n")


def harmless(text: str) -> str:
    """Make a text safe as a cell: on one line, printable, and nothing that a spreadsheet runs.

    >>> harmless("=1+1"), harmless("a-b")
    ("'=1+1", 'a-b')
    """
    return ("'" if text[:1] in FORMULA else "") + one_line(text)


def print_table(columns: Cells, rows: Sequence[Sequence[object]], form: str, out: IO[str]) -> None:
    """Write a table as `table` (aligned), `csv`, `md` or `json`: objects, with numbers as such."""
    if form == "json":
        objects = [dict(zip(columns, row, strict=True)) for row in rows]
        out.write(json_text(objects, indent=1) + "\n")
        return
    spelled = [[*map(cell, row)] for row in rows]
    if form == "csv":
        csv.writer(out, lineterminator="\n").writerows([columns, *spelled])
    else:
        out.write((markdown_table if form == "md" else aligned_table)(columns, spelled))


def cell(value: object) -> str:
    """Spell one cell: nothing for None, numbers with 12 significant digits."""
    if value is None:
        return ""
    return format(value, ".12g") if isinstance(value, float) else str(value)


def print_records(
    records: Sequence[Mapping[str, object]], columns: Cells, form: str, out: IO[str]
) -> None:
    """Write some columns of records as `print_table` does."""
    print_table(columns, [[record[column] for column in columns] for record in records], form, out)


def markdown_table(
    columns: Cells, rows: Sequence[Cells], right: int | None = None, verbatim: bool = False
) -> str:
    """Return a Markdown table; columns from number `right` on are aligned to the right.

    Titles and cells are escaped; cells that are `verbatim` are Markdown already.
    """
    rule = ["---" if right is None or i < right else "---:" for i in range(len(columns))]
    body = rows if verbatim else [[escaped(cell) for cell in row] for row in rows]
    head = [escaped(column) for column in columns]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in (head, rule, *body))


def escaped(text: str) -> str:
    """Escape what Markdown or a table would take as markup."""
    return one_line(re.sub(r"[\\`*_\[\]<>|]", r"\\\g<0>", text))


def code(text: str, in_table: bool = False) -> str:
    """Show a text verbatim inside Markdown: its fence is longer than any backticks inside."""
    text = one_line(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    shown = f"{'`' * (longest + 1)}{pad}{text}{pad}{'`' * (longest + 1)}"
    return shown.replace("|", "\\|") if in_table else shown


def aligned_table(columns: Cells, rows: Sequence[Cells]) -> str:
    """Return a plain table whose columns line up, wide characters counted as two cells."""
    from rich.cells import cell_len, set_cell_size

    lines = [[one_line(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(map(set_cell_size, line, widths)) for line in lines)
    return "".join(line.rstrip() + "\n" for line in padded)
