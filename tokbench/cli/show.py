"""`tokbench show`: one view of a run, for people or for programs."""

import sys
from pathlib import Path

import click

from tokbench.cli.options import PATH, choice_option
from tokbench.printing import print_records, printable

COLUMNS = (
    "system", "size", "context", "training-share", "corpus", "subset", "metric", "gated", "value",
    "low", "high", "n",
)  # fmt: skip


@click.command()
@click.argument("run", type=PATH)
@click.argument("view", type=click.Choice(["oov"]))
@choice_option(
    "--format",
    "form",
    ("md", "csv", "json"),
    "The section of the report, or its numbers by system.",
)
def command(run: Path, view: str, form: str) -> None:
    """Show a VIEW of a run: `oov` says what is unseen, and how systems cut it.

    RUN is a folder that `tokbench run` wrote. csv and json hold all numbers on unseen, rare and
    special words and on pairs: those of results.csv that are not of all words.
    """
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.report.oov import oov
    from tokbench.run_folder import Run
    from tokbench.run_folder.tables import Row, cells, columns

    found = Run.load(run)
    if form == "md":
        click.echo(printable(oov(found).strip("\n")))
        return
    names = columns(Row)
    shown = (row for row in found.rows if row.metric and row.subset != "all")
    records = [dict(zip(names, cells(row), strict=True)) for row in shown]
    print_records(records, COLUMNS, form, sys.stdout)
