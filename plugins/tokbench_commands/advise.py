"""`tokbench advise`: another name of `tokbench show RUN sizes`."""

from pathlib import Path

import click

from tokbench.commands import PATH, say
from tokbench_commands import show


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("run", type=PATH)
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[--OPTION VALUE]...")
@click.option("--by-size", is_flag=True, help="Show the statistics of each size alone.")
@click.option("--format", "form", default="table", help="table, md, csv or json.")
@click.pass_context
def command(
    context: click.Context, run: Path, options: tuple[str, ...], by_size: bool, form: str
) -> None:
    """Show which vocabulary size is enough: another name of `tokbench show RUN sizes`.

    `tokbench plugins sizes` lists its options.
    """
    if by_size:
        options = (*options, "--by-size=true")
    context.invoke(show.command, run=run, view="sizes", options=options, form=form, plugin_files=())
    say("note: `tokbench show RUN sizes` shows the same")
