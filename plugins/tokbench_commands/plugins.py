"""`tokbench plugins`: what is installed, what it offers, what is broken and why."""

from itertools import product
from pathlib import Path

import click

from tokbench.commands import (
    KINDS,
    PluginError,
    Registry,
    TokbenchError,
    active,
    check_requirements,
    crash_on_import,
    load,
    plugin_option,
    say,
)
from tokbench.printing import Table, closest, printable
from tokbench_commands.describe import DESCRIBED, describe, in_full
from tokbench_commands.shared import format_option, print_records, with_output

LISTED = ("component", "kind", "reads", "cuts", "promises", "needs", "install")


@click.command()
@click.argument("name", required=False)
@click.option(
    "--components",
    is_flag=True,
    help="Show every learner, segmenter and splitter with its options instead.",
)
@plugin_option
@format_option
@with_output
def command(name: str | None, components: bool, plugin_files: tuple[Path, ...], form: str) -> int:
    """Show each plugin with its version and what it offers; broken ones with the reason.

    With NAME, describe the learner, segmenter or splitter of this name, with its options.

    The engine is `compiled` or `python` if a component has both.

    The exit code is 3 if a plugin is broken, except if another plugin offers NAME.
    """
    if name is not None and components:
        raise click.UsageError("--components goes without NAME")
    registry = load(plugin_files, crash_of=crash_on_import())
    if name is not None:
        _one(registry, name, form)
        return 0
    complete = _components(registry, form) if components else _plugins(registry, form)
    for broken in registry.broken:
        plugin = broken.plugin
        package = f"{plugin.package} {plugin.version}".rstrip()  # a file has no version
        say(f"broken: {plugin.name} ({package}): {broken.reason}")
    return 0 if complete and not registry.broken else 3


def _plugins(registry: Registry, form: str) -> bool:
    """Print what each plugin offers, a line for each kind."""
    rows = []
    for plugin, kind in product(registry.plugins, KINDS):
        if offers := [o for o in registry.offers if o.plugin == plugin and o.kind == kind]:
            engines = {active(o.component.kernels) for o in offers if o.component.kernels}
            joined = ", ".join(sorted(engines)), ", ".join(o.name for o in offers)
            rows.append((plugin.name, plugin.package, plugin.version, kind, *joined))
    columns = ("plugin", "package", "version", "kind", "engine", "offers")
    click.echo(Table(columns, rows).to(form), nl=False)
    return True


def _components(registry: Registry, form: str) -> bool:
    """Print all components; return whether each could be described.

    The options or the properties of one may fail.
    """
    records, complete = [], True
    for offer in registry.offers:
        if offer.kind in DESCRIBED:
            try:
                records.append(describe(offer))
            except TokbenchError as error:
                say(f"broken: {error}")
                complete = False
    print_records(records, LISTED, form)
    return complete


def _one(registry: Registry, name: str, form: str) -> None:
    """Print everything of that name, and whether something that it needs is missing."""
    kinds = [kind for kind in DESCRIBED if name in registry.names(kind)]
    if not kinds:
        raise _unknown(registry, name)
    offers = [registry.find(kind, name) for kind in kinds]
    if form == "table":
        texts = (in_full(f"{offer.kind} {offer.name}", offer) for offer in offers)
        click.echo(printable("\n".join(texts)), nl=False)
    else:
        print_records([describe(offer) for offer in offers], LISTED, form)
    for offer in offers:
        try:
            check_requirements(name, offer.component)
        except PluginError as error:
            say(f"not usable here: the {offer.kind} {error}")


def _unknown(registry: Registry, name: str) -> TokbenchError:
    """Build the error that no component has that name, with the name that was meant."""
    *others, last = DESCRIBED
    message = f"no plugin offers a {', '.join(others)} or {last} {name!r}"
    names = sorted({name for kind in DESCRIBED for name in registry.names(kind)})
    if name in registry.names("metric"):
        message += f"; it is a metric: tokbench metrics {name}"
    elif name in registry.names("format"):
        message += "; it is a format of tokbench export and import"
    elif close := closest(name, names):
        message += f"; did you mean {close!r}?"
    else:
        message += f"; there are: {', '.join(names)}"
    return registry.missing(message)
