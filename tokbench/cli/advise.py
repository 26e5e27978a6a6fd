"""`tokbench advise`: which vocabulary size is enough, from a run folder alone."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

import click

from tokbench import plugins
from tokbench.cli.options import PATH, format_option, say
from tokbench.errors import UsageError
from tokbench.printing import print_table


@click.command()
@click.argument("run", type=PATH)
@click.option(
    "--tolerance",
    type=float,
    default=0.01,
    show_default=True,
    help="The share of the best value by which a value may differ from it to be good enough.",
)
@click.option("--system", help="Only this system.")
@click.option("--corpus", help="Only this test corpus.")
@click.option(
    "--by-size",
    is_flag=True,
    help="Show only the statistics of each size in the training text, not the metrics.",
)
@format_option
def command(
    run: Path, tolerance: float, system: str | None, corpus: str | None, by_size: bool, form: str
) -> None:
    """Show which vocabulary size is enough, by several rules for each metric.

    RUN is a folder that `tokbench run` wrote. Nothing is learned or scored again. `table` and `md`
    show the metrics, then the sizes, with the meaning of the columns. `csv` and `json` hold the
    metrics, or with --by-size the sizes, with every digit.
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
    from tokbench.cli.views import shown, view_of
    from tokbench.run_folder import Run
    from tokbench.run_folder.tables import AdviceRow, SizeStatistics, cells, columns
    from tokbench.sizes.advice import advice_from

    saved = Run.load(run)
    scored = [row for row in saved.rows if row.corpus]
    _check_name("system", system, [row.system for row in scored])
    _check_name("corpus", corpus, [row.corpus for row in scored])
    wanted = [
        one
        for one in advice_from(saved, tolerance)
        if system in (None, one.system) and corpus in (None, one.corpus)
    ]
    sizes = [one for one in saved.sizes if system in (None, one.system)]
    if not (sizes if by_size else wanted):
        say("note: nothing to advise on: no system here was run at two sizes or more")
    if form in ("csv", "json"):
        kind = SizeStatistics if by_size else AdviceRow
        print_table(columns(kind), [*map(cells, sizes if by_size else wanted)], form, sys.stdout)
        return
    chosen = replace(saved, advice=() if by_size else tuple(wanted), sizes=tuple(sizes))
    click.echo(shown(view_of(plugins.load(lazy=True), "sizes"), chosen, form), nl=False)


def _check_name(kind: str, name: str | None, found: Sequence[str]) -> None:
    known = [*dict.fromkeys(found)]
    if name is None or name in known:
        return
    close = get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    raise UsageError(f"the run has no {kind} {name!r}; {hint}")
