"""Options that several commands share, and their messages for people."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tokbench.api.component import active, python_is_forced
from tokbench.api.files import not_an_address
from tokbench.errors import UsageError
from tokbench.printing import printable

if TYPE_CHECKING:
    from tokbench.plugins import Registry

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def read_path(text: str) -> Path:
    """Read a path; raises UsageError for an address."""
    try:
        return Path(not_an_address(text))
    except ValueError as error:
        raise UsageError(str(error)) from None


class PathType(click.Path):
    """A path; raises UsageError for an argument that is an address."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if isinstance(param, click.Argument):
            read_path(str(value))
        return super().convert(value, param, ctx)


PATH = PathType(path_type=Path)
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
COUNTING = "tokbench.corpora._count"
"""The kernels that stand for all: an installation without a compiler has none."""

plugin_option = click.option(
    "-p",
    "--plugin",
    "plugin_files",
    multiple=True,
    type=FILE,
    help="A plugin file to use besides the installed plugins.",
)
"""Adds `-p FILE`: a plugin file to use without packaging, as often as given."""

verbose_option = click.option(
    "-v", "--verbose", is_flag=True, help="Print each step with the seconds that have passed."
)
"""Adds `-v`."""


def say(message: str) -> None:
    """Print a message for people, which must not mix with data, on stderr."""
    click.echo(printable(message), err=True)


def warn_broken(registry: "Registry", files: Sequence[Path]) -> None:
    """Warn of plugin files that are broken, also where the config asks nothing of them."""
    for broken in registry.broken:
        if broken.plugin.package in map(Path.as_posix, files):
            say(f"warning: {broken}")


def warn_of_plain_python() -> None:
    """Warn where nothing was compiled, so that all work takes long."""
    if active(COUNTING) == "python" and not python_is_forced():
        say(
            "warning: tokbench was installed without compiled code, so learning and segmenting take"
            " 10 to 20 times as long: see `tokbench doctor`"
        )
