"""Components and corpora from command-line options, as a config would describe them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tokbench.api import Component, Splitter, UsageError
from tokbench.commands import (
    Builder,
    Command,
    Decorator,
    DescribedCorpus,
    Kind,
    Registry,
    Source,
    Use,
    WrongValueError,
    checked,
    read_value,
    worst,
)

WORDS = "words"
"""The splitter that finds the words unless another is asked for."""

FORMAT = "The format; `tokbench plugins` lists all."


def choice_option(flag: str, name: str, choices: Sequence[str], text: str) -> Decorator:
    """Add an option that takes one of some values, by default the first, with its help text."""
    kind = click.Choice(choices)
    return click.option(flag, name, type=kind, default=choices[0], show_default=True, help=text)


format_option = choice_option(
    "--format", "form", ("table", "csv", "json", "md"), "How the table is printed."
)
"""Adds `--format table|csv|json|md` for what is printed on stdout."""


def words_options(command: Command) -> Command:
    """Add `--words` and `--normalise`, which do what these keys of a corpus do."""
    normalise = click.option(
        "--normalise",
        multiple=True,
        metavar="STEP",
        help="`lowercase`, `nfc`, `nfd`, `nfkc`, `nfkd` or `remove=REGEX`; as often as needed.",
    )
    text = f"The splitter that finds the words [default: {WORDS}]."
    words = click.option("--words", help=text)
    return words(normalise(command))


def treatment_options(command: Command) -> Command:
    """Add `--words`, `--normalise` and `--errors`, which do what these keys of a corpus do."""
    ways = ("strict", "replace", "skip-line")
    errors = choice_option("--errors", "errors", ways, "What to do with invalid UTF-8.")
    return words_options(errors(command))


segmenter_option = click.option(
    "--segmenter",
    "name",
    help="The segmenter, by name or as {use: name, option: value} [default: that of the"
    " vocabulary].",
)


def corpus(
    registry: Registry,
    paths: Sequence[Path],
    words: str | None,
    normalise: Sequence[object],
    errors: str = "strict",
) -> DescribedCorpus:
    """Describe a corpus from its files and treatment; raises UsageError for a wrong step."""
    words = WORDS if words is None else words
    steps = [
        {"remove": step[7:]} if isinstance(step, str) and step[:7] == "remove=" else step
        for step in normalise
    ]
    splitter = build(registry, "splitter", words, ())
    assert isinstance(splitter, Splitter)  # the registry gives what it was asked for
    keys = {"path": [str(path) for path in paths], "normalise": steps, "errors": errors}
    try:
        source = checked(Source, keys)
    except WrongValueError as error:
        raise UsageError(f"--normalise: {error}") from None
    return DescribedCorpus(source, splitter.describe(words), splitter)


def build(registry: Registry, kind: Kind, name: str, options: Sequence[str]) -> Component:
    """Build a component with `key=value` options, values spelled as in YAML.

    `name` is its name, or what a config may write: `{use: name, option: value}`.
    """
    try:
        written = checked(Use, read_value(name) if name.startswith("{") else name)
    except (UsageError, WrongValueError):
        expected = "expected a name or {use: name, option: value}"
        raise UsageError(f"{kind} {name}: {expected}") from None
    use = Use(use=written.use, **written.options | dict(map(_option, options)))
    try:
        component: Component = Builder(registry).build(kind, use).component
    except WrongValueError as error:
        raise worst(error.problems)(f"{kind} {use.use}: {error}") from None
    return component


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or key in ("", "use"):
        raise UsageError(f"option {text!r}: expected key=value, for example `merge=list`")
    try:
        return key, read_value(value) if value else value
    except UsageError as error:
        raise UsageError(f"option {key}: {error}") from None
