"""The compiled code of an installation: what there is of it, and a warning where there is none."""

import click

from tokbench import plugins
from tokbench.api.engine import active, python_is_forced
from tokbench.cli.options import say

COUNTING = "tokbench.corpora._count"
"""The kernels that stand for all: an installation without a compiler has none."""


def warn_of_plain_python() -> None:
    """Warn where nothing was compiled, so that all work takes long."""
    if active(COUNTING) == "python" and not python_is_forced():
        say(
            "warning: tokbench was installed without a C compiler, so learning and segmenting take"
            " 10 to 20 times as long: install a compiler, then tokbench again"
        )


def print_engines() -> None:
    """Print for each module of compiled code whether it does its work, or plain Python does."""
    offers = plugins.load().offers
    for module in sorted({offer.component.kernels for offer in offers if offer.component.kernels}):
        click.echo(f"engine {active(module)}: {module}")
