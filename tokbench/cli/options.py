"""Options and steps that several commands share."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tokbench.plugins import Registry

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]

PATH = click.Path(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

plugin_option = click.option(
    "-p",
    "--plugin",
    "plugin_files",
    multiple=True,
    type=FILE,
    help="A plugin file to use besides the installed plugins.",
)
"""Adds `-p FILE`: a plugin file to use without packaging, as often as given."""


def warn_broken(registry: "Registry", files: Sequence[Path]) -> None:
    """Warn of plugin files that are broken, also where the config asks nothing of them."""
    for broken in registry.broken:
        if broken.plugin.package in map(str, files):
            say(f"warning: {broken}")


def say(message: str) -> None:
    """Print a message for people, which must not mix with data, on stderr."""
    from tokbench.printing import printable

    click.echo(printable(message), err=True)
