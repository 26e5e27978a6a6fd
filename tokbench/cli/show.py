"""`tokbench show`: one view of a run, for people or for programs."""

from pathlib import Path

import click

from tokbench import plugins
from tokbench.cli.options import PATH, plugin_option
from tokbench.printing import printable


@click.command()
@click.argument("run", type=PATH)
@click.argument("view")
@click.option("--format", "form", default="", help="The format [default: the view's first one].")
@plugin_option
def command(run: Path, view: str, form: str, plugin_files: tuple[Path, ...]) -> None:
    """Show a VIEW of a run: `oov` says what is unseen, and how systems cut it.

    RUN is a folder that `tokbench run` wrote. `tokbench plugins --components` lists all views.
    """
    registry = plugins.load(plugin_files, lazy=True)
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.cli.views import shown, view_of
    from tokbench.run_folder import Run

    text = shown(view_of(registry, view), Run.load(run), form)
    click.echo(text if form in ("csv", "json") else printable(text), nl=not text.endswith("\n"))
