"""`tokbench advise`: which vocabulary size is enough, from a run folder alone."""

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tokbench.cli.options import format_option, say
from tokbench.errors import UsageError
from tokbench.report.table import print_table

if TYPE_CHECKING:
    from tokbench.runner.advice import Advice
    from tokbench.runner.sizing import Sizing


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--tolerance",
    type=float,
    default=0.01,
    show_default=True,
    help="What share of the best value a value may differ from it and still be good enough.",
)
@click.option("--system", help="Only this system.")
@click.option("--corpus", help="Only this test corpus.")
@click.option(
    "--by-size",
    is_flag=True,
    help="Only what the training text's tokens tell about each size, not the metrics.",
)
@format_option
def command(
    run: Path, tolerance: float, system: str | None, corpus: str | None, by_size: bool, form: str
) -> None:
    """Show which vocabulary size is enough, by several rules for each metric.

    RUN is a folder that `tokbench run` wrote; nothing is learned or scored again, and no plugin
    is needed. `table` and `md` show the metrics, then the sizes, and what the columns mean; `csv`
    and `json` hold the metrics, or with --by-size the sizes, with every digit.
    """
    if not 0 <= tolerance < 1:
        raise UsageError(f"--tolerance: found {tolerance}, expected 0 or more and below 1")
    if by_size and corpus is not None:
        raise UsageError(
            "--corpus: with --by-size there is none, since sizes are measured on the training "
            "text: leave out one of the two"
        )
    tolerance += 0.0  # 0 for -0
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.runner.advice import advise
    from tokbench.runner.saved import read_run

    saved = read_run(run)
    _check_name("system", system, saved.systems)
    _check_name("corpus", corpus, saved.corpora)
    wanted = [
        series
        for series in saved.series
        if system in (None, series.key[0]) and corpus in (None, series.key[1])
    ]
    sizings = [one for one in saved.sizings if system in (None, one.system)]
    if not (sizings if by_size else wanted):
        say("note: nothing to advise on: no system here was run at two sizes or more")
    _print([advise(series, tolerance) for series in wanted], sizings, by_size, tolerance, form)


def _print(
    advice: Sequence["Advice"],
    sizings: Sequence["Sizing"],
    by_size: bool,
    tolerance: float,
    form: str,
) -> None:
    """Print one table for programs, or both for people with the meaning of their columns."""
    from tokbench.report.advice import MEASURES, RULES, advice_table, legend, sizing_table
    from tokbench.runner import advice as by_metric
    from tokbench.runner import sizing

    if form in ("csv", "json"):
        columns, shown = (sizing.COLUMNS, sizings) if by_size else (by_metric.COLUMNS, advice)
        print_table(columns, [one.cells() for one in shown], form, sys.stdout)
        return
    if not by_size:
        print_table(*advice_table(advice, tolerance), form, sys.stdout)
        click.echo("\n" + legend(RULES, tolerance))
    print_table(*sizing_table(sizings), form, sys.stdout)
    click.echo("\n" + legend(MEASURES), nl=False)


def _check_name(kind: str, name: str | None, known: Sequence[str]) -> None:
    if name is None or name in known:
        return
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    raise UsageError(f"the run has no {kind} {name!r}; {hint}")
