"""`tokbench metrics`: what the metrics measure and how, all in a table or one in full."""

from pathlib import Path

import click

from tokbench.commands import load, plugin_option, say
from tokbench.printing import printable
from tokbench_commands.describe import describe, in_full
from tokbench_commands.shared import format_option, print_records, with_output

LISTED = ("metric", "label", "unit", "better", "range", "formula")


@click.command()
@click.argument("name", required=False)
@plugin_option
@format_option
@with_output
def command(name: str | None, plugin_files: tuple[Path, ...], form: str) -> None:
    """Show every metric with label, unit, direction, range and formula; with NAME, one in full.

    csv and json hold every fact.
    """
    registry = load(plugin_files)
    if name is None:
        offers = [offer for offer in registry.offers if offer.kind == "metric"]
        for broken in registry.broken:
            say(f"left out: {broken}")
    else:
        offers = [registry.find("metric", name)]
    if form == "table" and name is not None:
        click.echo(printable(in_full(name, offers[0])), nl=False)
    else:
        print_records([describe(offer) for offer in offers], LISTED, form)
