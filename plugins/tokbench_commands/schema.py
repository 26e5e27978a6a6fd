"""`tokbench schema`: the JSON Schema of configs."""

import json

import click

from tokbench.commands import schema


@click.command()
def command() -> None:
    """Print the JSON Schema of configs, for editors that complete and check YAML."""
    click.echo(json.dumps(schema(), indent=2, ensure_ascii=False))
