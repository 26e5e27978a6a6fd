"""From what is on offer to the list of all promises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import SkipTest

from packaging.utils import canonicalize_name

from tokbench import plugins
from tokbench.api import Learner, Metric, Segmenter, TextSegmenter
from tokbench.errors import UsageError
from tokbench.plugins import Offer, Plugin
from tokbench.testing import components, learners, lines, metrics, segmenters
from tokbench.testing.offers import Check, Offers, Subject, Variants, reads_files, required
from tokbench.testing.process import ChildChecks
from tokbench.testing.promise import PREPARE, Promise, PromiseError, each_input, expect

IN_FRESH_PROCESS = re.compile("plugin .*: light import|learner .*: (JSON|deterministic)")


def promises(
    package: str | None = None,
    files: Sequence[Path] = (),
    variants: Variants | None = None,
    known_breaks: Mapping[str, str] | None = None,
    seconds: float = 60,
    quick: bool = False,
) -> list[Promise]:
    """Return the promises of all components of an installed package and of plugin files.

    Without a package or files, return those of everything installed. Each component is checked
    with its default options, unless it needs a file, and with the options in `variants`, for
    example `{"learner bpe": [{"eow": "separate"}]}`. `known_breaks` lists the promises that a
    wrapped library breaks, each with the reason: `{"learner their-bpe: deterministic": "the library
    breaks ties anew"}`. A check of a package of others is done in a child process, and may take so
    many `seconds`. With `quick`, promises that need a fresh process are left out. Raises UsageError
    for a package that offers nothing, for variants of a component that no plugin offers, and for a
    known break that names no promise.
    """
    paths, variants = [path.resolve() for path in files], variants or {}
    source = {"package": package, "files": [*map(str, paths)], "variants": variants}
    checks, causes = ChildChecks(source, seconds), dict[str, str]()
    listed: dict[str, Promise] = {}
    for plugin, promise in collected(package, paths, variants):
        if not (quick and IN_FRESH_PROCESS.fullmatch(str(promise))):
            check = partial(checks.check, promise) if plugin.is_foreign else promise._check
            listed[str(promise)] = replace(promise, _check=check, _causes=causes)
    for name, reason in (known_breaks or {}).items():
        if name in listed:
            listed[name] = replace(listed[name], known_break=reason)
        elif not quick:
            raise UsageError(f"known break of {name!r}, which is no promise here")
    return [*listed.values()]


def collected(
    package: str | None, files: Sequence[Path], variants: Variants
) -> list[tuple[Plugin, Promise]]:
    """Return the promises that `promises` does, each with its plugin, to be checked here."""
    registry = plugins.load(files)
    offers = Offers(registry, files, variants)
    everything = [*registry.plugins, *(broken.plugin for broken in registry.broken)]
    chosen = [plugin for plugin in everything if _is_chosen(plugin, package, files)]
    if not chosen:
        packages = ", ".join(sorted({plugin.package for plugin in everything}))
        raise UsageError(
            f"no plugin of the package {package!r} is installed; there are: {packages}"
        )
    return [(plugin, promise) for plugin in chosen for promise in _of_plugin(plugin, offers)]


def _is_chosen(plugin: Plugin, package: str | None, files: Sequence[Path]) -> bool:
    if package is None and not files:
        return True
    named = package is not None and canonicalize_name(plugin.package) == canonicalize_name(package)
    return named or plugin.package in map(str, files)


def _of_plugin(plugin: Plugin, offers: Offers) -> Iterator[Promise]:
    """Return the promises of a plugin, then those of what it offers."""
    name, registry = f"plugin {plugin.name}", offers.registry
    yield Promise(name, "loads", partial(components.loads, plugin, registry))
    if plugin in registry.plugins:
        yield Promise(name, "light import", partial(components.imports_little, plugin))
        if any(addition.plugin == plugin for addition in registry.additions):
            yield Promise(name, "adds", partial(components.adds, plugin, registry))
    for offer in registry.offers:
        if offer.plugin == plugin:
            yield from _of_offer(offer, offers)


def _of_offer(offer: Offer, offers: Offers) -> Iterator[Promise]:
    name, listed = f"{offer.kind} {offer.name}", offers.options(offer)
    if not listed:
        yield Promise(name, "builds", partial(_unbuilt, offer))
    for options in listed:
        try:
            subject = offers.build(offer, options)
        except PromiseError as broken:
            yield Promise(name, "builds", partial(_raise, broken))
        except SkipTest as missing:
            yield Promise(name, "installed", partial(_raise, missing))
        else:
            for check_name, check in _checks(subject).items():
                yield Promise(str(subject), check_name, partial(_with_options_kept, check, subject))


def _with_options_kept(check: Check[Any], subject: Subject[Any]) -> None:
    """Check, and then that the component has changed none of its options."""
    before = repr(subject.component)
    try:
        check(subject)
    finally:
        with each_input():
            right = "the options as before: what is built while working is no option; " + PREPARE
            after = repr(subject.component)
            expect(after == before, "the options after the check", after, right)


def _raise(error: Exception) -> None:
    raise error


def _unbuilt(offer: Offer) -> None:
    missing = ", ".join(required(offer))
    if reads_files(offer):
        reason = "checked only with the files of `variants`, of which there are none"
        raise SkipTest(f"{reason} ({missing})")
    right = f"`variants` that give some for {offer.kind + ' ' + offer.name!r}"
    expect(False, "no options", f"no {missing}", right)


def _checks(subject: Subject[Any]) -> Mapping[str, Check[Any]]:
    """Return the checks that apply to a component, by name."""
    of_kind: Mapping[str, Check[Any]]
    match subject.component:
        case Learner() as learner:
            of_kind = learners.checks(learner)
        case Metric() as metric:
            of_kind = metrics.checks(metric)
        case TextSegmenter():
            of_kind = {**segmenters.CHECKS, **lines.CHECKS}
        case Segmenter():
            of_kind = segmenters.CHECKS
        case _:
            of_kind = components.CHECKS.get(subject.offer.kind, {})
    return {"documented": components.documented, **of_kind}
