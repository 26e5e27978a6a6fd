"""The command line. Commands are loaded only when they are called, so that help is instant."""

import importlib
import os
import sys

import click

from tokbench import __version__
from tokbench.errors import InputError, TokbenchError
from tokbench.report.plain import printable

COMMANDS = {
    "run": "Learn, segment and score what a config asks for; write a run folder.",
    "check": "Check a config and its corpora without learning anything.",
    "learn": "Learn a vocabulary from a corpus and print it as JSON.",
    "segment": "Cut text into tokens with a vocabulary.",
    "metrics": "Show the metrics: formula, range, direction, source.",
    "corpora": "List or download the corpora of the catalogue.",
    "plugins": "Show the plugins and what they offer, broken ones with the reason.",
    "schema": "Print the JSON Schema of configs, for editors.",
}
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group whose commands live in modules of the same name, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the commands in the order in which people need them."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command in whose place only its short help has stood so far."""
        name, stub, rest = super().resolve_command(ctx, args)
        if stub is None:
            return name, stub, rest
        return name, importlib.import_module(f"tokbench.cli.{name}").command, rest


@click.group(
    cls=LazyGroup,
    commands={name: click.Command(name, short_help=text) for name, text in COMMANDS.items()},
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="tokbench")
def tokbench() -> None:
    """Compare tokenizers on your own text: same training text, same size, held-out test."""


def main() -> None:
    """Run the command line; every error that a user can mend is one message and an exit code."""
    sys.exit(run_command())


def run_command() -> int:
    """Run the command line and give its exit code; every mendable error is one message."""
    try:
        code = tokbench.main(standalone_mode=False)
        sys.stdout.flush()
        return code or 0
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone: nothing is left to say, and Python's own flush at exit must not try.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return InputError.exit_code
    except TokbenchError as error:
        click.echo(f"error: {printable(str(error))}", err=True)
        return error.exit_code
    except OSError as error:
        click.echo(f"error: {printable(str(error))}", err=True)
        return InputError.exit_code
