"""`tokbench metrics`: what the metrics measure and how, all in a table or one in full."""

import sys
from pathlib import Path

import click

from tokbench.commands import load, plugin_option, say
from tokbench.printing import print_records, printable
from tokbench_commands.components import format_option
from tokbench_commands.metric_page import LISTED, describe, document, section


@click.command()
@click.argument("name", required=False)
@plugin_option
@format_option
def command(name: str | None, plugin_files: tuple[Path, ...], form: str) -> None:
    """Show every metric with unit, direction, range and formula; with NAME, one in full."""
    registry = load(plugin_files)
    if name is None:
        offers = [offer for offer in registry.offers if offer.kind == "metric"]
        for broken in registry.broken:
            say(f"left out: {broken}")
    else:
        offers = [registry.find("metric", name)]
    if form == "md":
        text = document(offers) if name is None else section(describe(offers[0]))
        click.echo(printable(text), nl=False)
    elif form == "table" and name is not None:
        _in_full(describe(offers[0]))
    else:
        records = [describe(offer) for offer in offers]
        print_records(records, LISTED if form == "table" else [*records[0]], form, sys.stdout)


def _in_full(record: dict[str, str]) -> None:
    """Print one metric's name and meaning, then each fact on a line of its own."""
    facts = [(key, value) for key, value in record.items() if value]
    (_, name), (_, meaning), *rest = facts
    click.echo(printable(f"{name}\n\n{meaning}\n"))
    for key, value in rest:
        click.echo(printable(f"{key:<10}{value}"))
