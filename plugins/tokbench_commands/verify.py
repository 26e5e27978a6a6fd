"""`tokbench verify`: whether a run is as it was written."""

from pathlib import Path

import click

from tokbench.api import InputError
from tokbench.commands import PATH, run_folder, say
from tokbench.printing import printable
from tokbench_commands.shared import with_output


@click.command()
@click.argument("run", type=PATH)
@with_output
def command(run: Path) -> int:
    """Check that the data of RUN is as it was written, without any plugin.

    Documents such as `report.md` are not checked: `tokbench report` writes them from the data.
    `tokbench reproduce` also runs the config again.

    Exit codes: 0 all is the same, 4 a file of RUN is changed or missing, or does not belong there.
    """
    damaged = run_folder.damage(run)
    for line in damaged:
        click.echo(printable(line))
    if damaged:
        many = "1 file is" if len(damaged) == 1 else f"{len(damaged)} files are"
        say(f"error: {run}: {many} not what the run wrote")
        return InputError.exit_code
    click.echo(f"{printable(str(run))}: all data is as the run wrote it")
    return 0
