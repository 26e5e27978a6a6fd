"""`python -m tokbench.testing PLUGIN`: check a plugin, and show what is broken by cause."""

import sys
from pathlib import Path
from unittest import SkipTest

import click

from tokbench.errors import TokbenchError
from tokbench.printing import counted
from tokbench.testing.collect import promises
from tokbench.testing.promise import Failure, PromiseError, by_cause, explained


@click.command()
@click.argument("plugin")
@click.option("--quick", is_flag=True, help="Leave out what starts a process of its own.")
@click.option(
    "--seconds", type=float, help="The seconds that one check may take: 20, or 2 with --quick."
)
def command(plugin: str, quick: bool, seconds: float | None) -> None:
    """Check all promises of PLUGIN, an installed package or a .py file.

    Exit code 1 means that one is broken.
    """
    is_file = plugin.endswith(".py")
    package, files = (None, [Path(plugin)]) if is_file else (plugin, [])
    if seconds is None:
        seconds = 2 if quick else 20
    try:
        listed = promises(package, files, seconds=seconds, quick=quick)
    except TokbenchError as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(error.exit_code) from None
    broken: dict[Failure, list[str]] = {}
    skipped: list[str] = []
    for promise in listed:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K{promise}", nl=False, err=True)
        try:
            promise.check()
        except SkipTest as reason:
            skipped.append(f"skipped: {promise}: {reason}")
        except PromiseError as error:
            for failure in error.failures:
                broken.setdefault(failure, []).append(str(promise))
    if sys.stderr.isatty():
        click.echo("\r\033[K", nl=False, err=True)
    groups = by_cause([*broken])
    for alike in groups:
        names = dict.fromkeys(name for failure in alike for name in broken[failure])
        click.echo(f"broken: {', '.join(names)}\n  {explained(alike)}\n")
    wrong = {name for names in broken.values() for name in names}
    kept = counted(len(listed) - len(wrong) - len(skipped), "promise")
    end = f"{kept} kept"
    if wrong:
        end += f", {len(wrong)} broken for {counted(len(groups), 'reason')}"
    click.echo("\n".join([*skipped, end]))
    raise SystemExit(bool(broken))


if __name__ == "__main__":
    command()
