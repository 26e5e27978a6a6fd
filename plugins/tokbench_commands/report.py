"""`tokbench report`: write the report of a run again, from its folder alone."""

from pathlib import Path

import click

from tokbench.commands import (
    PATH,
    Limits,
    files_of,
    load,
    plugin_option,
    run_folder,
    say,
    with_additions,
    write_views,
)


@click.command()
@click.argument("run", type=PATH)
@plugin_option
def command(run: Path, plugin_files: tuple[Path, ...]) -> int:
    """Write what people read of a run again, such as `report.md` and `cost.md` in its folder.

    RUN is a folder that `tokbench run` wrote. Nothing is learned or scored again. Of all plugins
    only those with views are needed.
    """
    registry = load(plugin_files, lazy=True)
    files, broken = files_of(registry)
    with run_folder.locked(run):
        shown, unadded = with_additions(run_folder.Run.load(run), registry)
        written, failures = write_views(run, shown, registry, files, Limits())
    for failure in (*broken, *unadded, *failures):
        say(f"failed: {failure}")
    for name in written:
        click.echo(f"Written: {run / name}")
    return 1 if broken or unadded or failures else 0
