"""`tokbench show`: one view of a run, for people or for programs."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import click
from pydantic import TypeAdapter, ValidationError

from tokbench.api import UsageError, View
from tokbench.commands import PATH, Use, keys_of, load, plugin_option, say, shown, with_additions
from tokbench.printing import printable
from tokbench_commands.describe import describe, options_of
from tokbench_commands.shared import (
    build,
    output_option,
    read_option,
    read_run,
    reading,
    write_files,
)

ARGUMENTS = f"{__name__}.arguments"
"""Where the context of the command keeps its command line."""


class ShowCommand(click.Command):
    """A command whose help lists all views, or the options of the view that is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line, which the help needs too."""
        ctx.meta[ARGUMENTS] = [*args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the view that is named, or of the command with a line for each view."""
        registry = load(lazy=True)
        views = {name: registry.find("view", name) for name in registry.names("view")}
        words = ctx.meta[ARGUMENTS]
        named = [word for word in words if word in views]
        with_plugins = any(word.startswith(("-p", "--plugin")) for word in words)
        is_view_named = len(words) > 1 and not any(word.startswith("-") for word in words[:2])
        if is_view_named and not named and not with_plugins:  # whose views are not known here
            registry.find("view", words[1])  # raises an error that names those that are alike
        if not named:
            super().format_help(ctx, formatter)
            with formatter.section("Views"):
                room = formatter.width - max(map(len, views)) - 4
                commands = [
                    click.Command(name, help=describe(view)["meaning"])
                    for name, view in views.items()
                ]
                formatter.write_dl([(str(c.name), c.get_short_help_str(room)) for c in commands])
            return
        view, shown_as = views[named[-1]], cast(type[View], views[named[-1]].component)
        formatter.write_usage(f"tokbench show RUN {view.name}", "[--OPTION VALUE]...")
        for paragraph in describe(view)["meaning"].split("\n\n"):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)
        formats = [("--format", f"{', '.join(shown_as.formats)}  [default: the first]")]
        own = [
            (f"--{option.name}", f"{option.meaning}  [{option.values}; {option.shown}]")
            for option in options_of(view)
        ]
        with formatter.section("Options"):
            formatter.write_dl([*own, *formats])


@click.command(cls=ShowCommand, context_settings={"ignore_unknown_options": True})
@click.argument("run", type=PATH)
@click.argument("view", default="answer")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[--OPTION VALUE]...")
@click.option(
    "--format",
    "form",
    default="",
    help="The format [default: on a terminal `table`, if the view has it, else its first one].",
)
@output_option
@plugin_option
def command(
    run: Path,
    view: str,
    options: tuple[str, ...],
    form: str,
    output: Path | None,
    plugin_files: tuple[Path, ...],
) -> None:
    """Show a VIEW of a run, by default its answer.

    RUN is a folder that `tokbench run` wrote. `tokbench show VIEW --help` lists the options of a
    view. An option that is given twice holds a list.
    """
    registry = load(plugin_files, lazy=True)
    texts = _texts(options)
    fields = keys_of(registry.find("view", view).component)
    values = {key: _value(key, fields.get(key), text) for key, text in texts.items()}
    if "folder" in fields:  # commands in the text name it
        values.setdefault("folder", shlex.quote(str(run)))
    built: View = build(registry, "view", Use(use=view), values)
    added, failures = with_additions(read_run(run), registry)
    for failure in failures:
        say(f"failed: {failure}")
    if not form and output is None and sys.stdout.isatty() and "table" in built.formats:
        form = "table"  # which keeps to the width of the terminal
    with reading(run):
        text = shown(built, added, form)
    text += "\n" * (not text.endswith("\n"))
    if output is not None:
        write_files({output: text})
    else:
        click.echo(text if form in ("csv", "json") else printable(text), nl=False)


def _texts(options: Sequence[str]) -> dict[str, str | list[str]]:
    """Return the texts of `--key value` and `--key=value` by key, those that repeat as a list."""
    texts: dict[str, list[str]] = {}
    rest = iter(options)
    for flag in rest:
        key, equals, value = flag.removeprefix("--").partition("=")
        if not flag.startswith("--"):
            raise UsageError(f"found {flag!r}, expected --OPTION VALUE")
        if not equals:
            value = next(rest, "")
            if not value or value.startswith("--"):
                raise UsageError(f"{flag}: expected a value")
        texts.setdefault(key, []).append(value)
    return {key: values[0] if len(values) == 1 else values for key, values in texts.items()}


def _value(key: str, annotation: Any, text: str | list[str]) -> Any:
    """Return the value of an option: its text where the option takes that, else read as YAML."""
    try:
        TypeAdapter(annotation).validate_json(json.dumps(text), strict=True)
    except ValidationError:
        return read_option(key, f"[{', '.join(text)}]" if isinstance(text, list) else text)
    return text
