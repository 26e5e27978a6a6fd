"""From what is on offer to the list of all promises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from tokbench import plugins
from tokbench.api import (
    Analysis,
    Learner,
    Metric,
    PairGenerator,
    Segmenter,
    Splitter,
    TextSegmenter,
    View,
    VocabularyFormat,
)
from tokbench.errors import PluginError, UsageError
from tokbench.plugins import Offer, Plugin, check_requirements
from tokbench.plugins.importing import settings_kept
from tokbench.testing import components, learners, lines, metrics, segmenters
from tokbench.testing.offers import Check, Offers, Subject, Variants, reads_files, required
from tokbench.testing.process import ChildChecks
from tokbench.testing.promise import Promise, expect, skip


def promises(
    package: str | None = None,
    files: Sequence[Path] = (),
    variants: Variants | None = None,
    known_breaks: Mapping[str, str] | None = None,
    seconds: float = 300,
) -> list[Promise]:
    """Return the promises of all components of an installed package and of plugin files.

    Without a package or files, return those of everything installed. Each component is checked
    with its default options, unless it needs a file, and with the options in `variants`, for
    example `{"learner bpe": [{"eow": "separate"}]}`. `known_breaks` lists the promises that a
    wrapped library breaks, each with the reason: `{"learner their-bpe: deterministic": "the library
    breaks ties anew"}`. A check of a package of others is done in a child process, and may take so
    many `seconds`. Raises UsageError for a package that offers nothing, for variants of a component
    that no plugin offers, and for a known break that names no promise.
    """
    child = ChildChecks(package, [path.resolve() for path in files], variants or {}, seconds)
    is_foreign = bool(files) or (package is not None and _normal(package) != "tokbench")
    if crash := is_foreign and child.collect():
        unmade = partial(expect, False, "its options", crash, "components")
        return [Promise(f"plugin {package or files[0].name}", "builds", unmade)]
    checks = [
        replace(promise, _check=partial(child.check, str(promise)))
        if plugin.is_foreign
        else promise
        for plugin, promise in collected(package, files, variants or {})
    ]
    reasons = known_breaks or {}
    for name in reasons.keys() - set(map(str, checks)):
        raise UsageError(f"known break of {name!r}, which is no promise here")
    return [replace(promise, known_break=reasons.get(str(promise), "")) for promise in checks]


def collected(
    package: str | None, files: Sequence[Path], variants: Variants
) -> list[tuple[Plugin, Promise]]:
    """Return the promises that `promises` does, each with its plugin, to be checked here."""
    paths = tuple(path.resolve() for path in files)
    registry = plugins.load(paths)
    offers = Offers(registry, paths, variants)
    everything = [*registry.plugins, *(broken.plugin for broken in registry.broken)]
    chosen = [plugin for plugin in everything if _is_chosen(plugin, package, paths)]
    if not chosen:
        packages = ", ".join(sorted({plugin.package for plugin in everything}))
        raise UsageError(
            f"no plugin of the package {package!r} is installed; there are: {packages}"
        )
    with settings_kept():
        return [(plugin, promise) for plugin in chosen for promise in _of_plugin(plugin, offers)]


def _is_chosen(plugin: Plugin, package: str | None, files: Sequence[Path]) -> bool:
    if package is None and not files:
        return True
    is_named = package is not None and _normal(plugin.package) == _normal(package)
    return is_named or plugin.package in map(str, files)


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _of_plugin(plugin: Plugin, offers: Offers) -> Iterator[Promise]:
    """Return the promises of a plugin, then those of what it offers."""
    name, registry = f"plugin {plugin.name}", offers.registry
    yield Promise(name, "loads", partial(components.loads, plugin, registry))
    if plugin in registry.plugins:
        yield Promise(name, "light import", partial(components.imports_little, plugin))
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
        except ValidationError as error:
            reasons = "; ".join(str(problem["msg"]) for problem in error.errors())
            what, right = f"the options {dict(options)}", "options that it takes"
            yield Promise(name, "builds", partial(expect, False, what, reasons, right))
            continue
        for check_name, check in _checks(subject).items():
            yield Promise(str(subject), check_name, partial(check, subject))


def _unbuilt(offer: Offer) -> None:
    missing = ", ".join(required(offer))
    if reads_files(offer):
        skip(f"checked only with the files of `variants`, of which there are none ({missing})")
    right = f"`variants` that give some for {offer.kind + ' ' + offer.name!r}"
    expect(False, "no options", f"no {missing}", right)


def _checks(subject: Subject[Any]) -> Mapping[str, Check[Any]]:
    """Return the checks that apply to a component, by name."""
    documented: Mapping[str, Check[Any]] = {"documented": components.documented}
    try:
        check_requirements(subject.offer.name, type(subject.component))
    except PluginError as error:
        reason = str(error)
        return {**documented, "installed": lambda subject: skip(reason)}
    return {**documented, **_of_kind(subject.component)}


def _of_kind(component: Any) -> Mapping[str, Check[Any]]:
    match component:
        case Learner():
            return learners.checks(component)
        case TextSegmenter():
            return {**segmenters.CHECKS, **lines.CHECKS}
        case Segmenter():
            return segmenters.CHECKS
        case Splitter():
            return components.SPLITTER
        case Metric():
            return metrics.checks(component)
        case Analysis():
            return components.ANALYSIS
        case PairGenerator():
            return components.PAIR_GENERATOR
        case View():
            return components.VIEW
        case VocabularyFormat():
            return components.FORMAT
    return {}
