"""`tokbench show`: one view of a run, for people or for programs."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter, ValidationError

from tokbench.api import UsageError, View
from tokbench.commands import PATH, Use, keys_of, load, plugin_option, shown
from tokbench.printing import printable
from tokbench_commands.shared import build, read_option


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("run", type=PATH)
@click.argument("view", default="answer")
@click.argument("options", nargs=-1, type=click.UNPROCESSED, metavar="[--OPTION VALUE]...")
@click.option("--format", "form", default="", help="The format [default: the view's first one].")
@plugin_option
def command(
    run: Path, view: str, options: tuple[str, ...], form: str, plugin_files: tuple[Path, ...]
) -> None:
    """Show a VIEW of a run: the `answer`, `oov`, `sizes`, a `table`, what to `cite`, ...

    RUN is a folder that `tokbench run` wrote. `tokbench plugins --components` lists all views, and
    `tokbench plugins table` the options of one. An option given twice holds a list.
    """
    registry = load(plugin_files, lazy=True)
    texts = _texts(options)
    # NumPy comes in only now, so that help and wrong usage are shown at once.
    from tokbench.run_folder import Run

    fields = keys_of(registry.find("view", view).component)
    values = {key: _value(key, fields.get(key), text) for key, text in texts.items()}
    if "folder" in fields:  # commands in the text name it
        values.setdefault("folder", shlex.quote(str(run)))
    built: View = build(registry, "view", Use(use=view), values)
    text = shown(built, Run.load(run), form)
    click.echo(text if form in ("csv", "json") else printable(text), nl=not text.endswith("\n"))


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
