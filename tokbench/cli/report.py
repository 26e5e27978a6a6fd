"""`tokbench report`: write the report of a run again, from its folder alone."""

from pathlib import Path

import click

from tokbench.cli.options import PATH


@click.command()
@click.argument("run", type=PATH)
def command(run: Path) -> None:
    """Write the report of a run again: `report.md` and `cost.md` in its folder.

    RUN is a folder that `tokbench run` wrote. Nothing is learned or scored again, and no plugin is
    needed.
    """
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.report.documents import documents
    from tokbench.run_folder import Run
    from tokbench.run_folder.folder import write_documents

    write_documents(run, documents(Run.load(run)))
    click.echo(f"Report: {run / 'report.md'}")
