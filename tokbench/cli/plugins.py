"""`tokbench plugins`: what is installed, what it offers, what is broken and why."""

import sys
from pathlib import Path

import click

from tokbench import plugins
from tokbench.api.engine import active
from tokbench.cli.options import format_option, plugin_option, say
from tokbench.report.table import print_table


@click.command()
@plugin_option
@format_option
def command(plugin_files: tuple[Path, ...], form: str) -> int:
    """Show each plugin with its version and what it offers; broken ones with the reason.

    The engine is `compiled` or `python` where a component has compiled code to choose from.

    The exit code is 3 where a plugin is broken.
    """
    registry = plugins.load(plugin_files)
    rows = [
        (
            plugin.name,
            plugin.package,
            plugin.version,
            kind,
            ", ".join(sorted({active(o.component.kernels) for o in offers if o.component.kernels})),
            ", ".join(o.name for o in offers),
        )
        for plugin in registry.plugins
        for kind in plugins.KINDS
        if (offers := [o for o in registry.offers if o.plugin is plugin and o.kind == kind])
    ]
    head = ("plugin", "package", "version", "kind", "engine", "offers")
    print_table(head, rows, form, sys.stdout)
    for broken in registry.broken:
        plugin = broken.plugin
        say(f"broken: {plugin.name} ({plugin.package} {plugin.version}): {broken.reason}")
    return 3 if registry.broken else 0
