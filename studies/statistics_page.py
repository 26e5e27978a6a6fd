"""The tables that the simulations write into `docs/explanation/statistics.md`."""

from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "explanation" / "statistics.md"


def write_table(name: str, table: str) -> None:
    """Replace the table between the comments `name` and `end of name`."""
    page = PAGE.read_text("utf-8")
    before, begin, rest = page.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->\n")
    if not end:
        raise ValueError(f"{PAGE} has no place for the table {name}")
    PAGE.write_text(before + begin + table + end + after, "utf-8")
