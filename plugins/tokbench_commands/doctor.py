"""`tokbench doctor`: what is installed, what does the work, and what is missing."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import click

from tokbench import __version__
from tokbench.api import InputError, models_folders
from tokbench.commands import (
    ClashError,
    MissingExtraError,
    Offer,
    PluginError,
    Registry,
    active,
    check_requirements,
    core,
    crash_on_import,
    find_corpus,
    load,
    read_catalogue,
)
from tokbench.printing import Table
from tokbench_commands.shared import format_option, with_output

LIBRARIES = ("click", "numpy", "pandas", "pluggy", "pydantic", "pyyaml", "regex", "rich")
MISSING = "missing"


class Finding(NamedTuple):
    """One thing that was looked at, what was found, and what helps where it is not well."""

    what: str
    name: str
    found: str
    advice: str = ""


@click.command()
@format_option
@with_output
def command(form: str) -> None:
    """Show versions, the engine and why it is not compiled, extras, models, corpora and cache.

    Where something is missing, the last column says what to do. Paste it into a bug report.
    """
    registry = load(lazy=True, crash_of=crash_on_import())
    steps: Sequence[Callable[[Registry], Iterator[Finding]]] = (
        _versions, _engine, _plugins, _extras, _models, _corpora, _cache,
    )  # fmt: skip
    rows = [[*finding] for step in steps for finding in step(registry)]
    sys.stdout.write(Table(Finding._fields, rows).to(form))


def _versions(registry: Registry) -> Iterator[Finding]:
    yield Finding("version", "tokbench", __version__)
    yield Finding("version", "python", platform.python_version())
    yield Finding("version", "platform", platform.platform())
    for name in LIBRARIES:
        yield Finding("version", name, _version(name))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return MISSING


def _engine(registry: Registry) -> Iterator[Finding]:
    """Say which code does the work, and why it is plain Python where it is."""
    asked = os.environ.get("TOKBENCH_ENGINE", "")
    kernels = {offer.component.kernels for offer in _ours(registry) if offer.component.kernels}
    for module in sorted(kernels):
        engine, advice = str(active(module)), ""
        if engine != "compiled":
            compiler = next(filter(shutil.which, (os.environ.get("CC", ""), "cc", "gcc")), "")
            advice = f"compiler found: {compiler}" if compiler else "install a C compiler"
            advice += ", then install tokbench again with `--no-binary tokbench`"
            if asked == "python":
                advice = "TOKBENCH_ENGINE=python asks for it"
            else:
                try:
                    import_module(module)
                except ImportError as error:
                    engine = f"{engine}: {error}"
        yield Finding("engine", module, engine, advice)


def _plugins(registry: Registry) -> Iterator[Finding]:
    for plugin in registry.plugins:
        if plugin.package != "tokbench":
            yield Finding("plugin", plugin.name, f"{plugin.package} {plugin.version}")
    for broken in registry.broken:
        yield Finding("plugin", broken.plugin.name, f"broken: {broken.reason}")
    for kind, name in sorted({(offer.kind, offer.name) for offer in registry.offers}):
        try:
            registry.find(kind, name)
        except ClashError as error:
            yield Finding("clash", name, error.what, error.advice)


def _extras(registry: Registry) -> Iterator[Finding]:
    """Look at the libraries that components wrap, each once."""
    seen: dict[str, Finding] = {}
    for offer in _ours(registry):
        component = offer.component
        names = component.requires_version if component.requires else ()
        for name in (name for name in names if name not in seen):
            try:
                check_requirements(offer.name, component)
                seen[name] = Finding("extra", name, _version(name))
            except MissingExtraError as error:
                too_old = _version(name) != MISSING
                state = f"too old: {error.needs}" if too_old else MISSING
                seen[name] = Finding("extra", name, state, error.advice)
    yield from (finding for _, finding in sorted(seen.items()))


def _models(registry: Registry) -> Iterator[Finding]:
    """Look for the files of the ready-made tokenizers of the catalogue."""
    # Help needs no plugin.
    from tokbench_ready_made.published import by_digest, read_models

    yield Finding("models", "$TOKBENCH_MODELS", os.environ.get("TOKBENCH_MODELS") or "not set")
    files = by_digest(models_folders())
    for name, model in read_models().items():
        paths = model.there(files)
        if len(paths) == len(model.files):
            yield Finding("models", name, ", ".join(map(str, paths)))
        else:
            yield Finding("models", name, MISSING, f"tokbench models get {name}")


def _corpora(registry: Registry) -> Iterator[Finding]:
    for name, entry in read_catalogue().items():
        if not entry.url:
            continue  # it is part of tokbench
        try:
            yield Finding("corpora", name, str(find_corpus(name)))
        except InputError:
            yield Finding("corpora", name, "missing", f"tokbench corpora get {name}")


def _cache(registry: Registry) -> Iterator[Finding]:
    """Say where learned vocabularies and segmentations are kept."""
    folder, size = core.learned_cache()
    if folder is None:
        yield Finding("cache", "$TOKBENCH_CACHE", "not set, and no home folder: nothing is kept")
        return
    yield Finding("cache", str(folder), f"{size / 1e6:,.1f} MB", "`rm -r` of the folder empties it")


def _ours(registry: Registry) -> Iterator[Offer]:
    """Yield what can be imported; the rest is shown as a broken plugin."""
    for offer in registry.offers:
        try:
            _ = offer.component
        except (ImportError, PluginError):
            continue
        yield offer
