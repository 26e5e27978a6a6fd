"""All promises by the kind of their component, and the list of those that a plugin makes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import SkipTest

from packaging.utils import canonicalize_name

from tokbench import api, plugins
from tokbench.api.component import PREPARE
from tokbench.errors import UsageError
from tokbench.plugins import Offer, Plugin
from tokbench.testing import components, learners, lines, metrics, segmenters
from tokbench.testing.offers import Offers, Subject, Variants, reads_files, required
from tokbench.testing.process import ChildChecks
from tokbench.testing.promise import Promise, PromiseError, each_input, expect

Check = Callable[[Subject[Any]], None]


class Rule(NamedTuple):
    """A promise by its name, its check, and which components `of` a class make it."""

    of: type[api.Component]
    name: str
    check: Check
    applies: Callable[[Any], bool] = lambda component: True


IN_FRESH_PROCESS = (learners.survives_json, learners.deterministic)
"""Checks that start a process, which takes most of the time of a whole check."""


def _reads(learner: Any) -> bool:
    return bool(learner.reads != "nothing")


def _of_text(metric: Any) -> bool:
    return not isinstance(metric, api.PairMetric)


# Learning twice is compared only for learners that promise the same result.
RULES = (
    Rule(api.Component, "documented", components.documented),
    Rule(api.Learner, "learns", learners.learns),
    Rule(api.Learner, "JSON", learners.survives_json),
    Rule(api.Learner, "hard Unicode", learners.hard_unicode, _reads),
    Rule(api.Learner, "produced", learners.produced, _reads),
    Rule(api.Learner, "sizes", learners.sizes, lambda of: of.sized or of.deterministic),
    Rule(api.Learner, "deterministic", learners.deterministic, lambda of: of.deterministic),
    Rule(api.Learner, "prefix-closed", learners.prefix_closed, learners.promises_prefixes),
    Rule(
        api.Learner,
        "order-free",
        learners.order_free,
        lambda of: of.deterministic and of.order_free,
    ),
    Rule(api.Segmenter, "covers", segmenters.covers),
    Rule(api.Segmenter, "hard Unicode", segmenters.hard_unicode),
    Rule(api.Segmenter, "decodes", segmenters.decodes),
    Rule(api.Segmenter, "deterministic", segmenters.deterministic),
    Rule(api.Segmenter, "segment_many", segmenters.many_equals_loop),
    Rule(api.Segmenter, "timeline", segmenters.timelines),
    Rule(api.Segmenter, "explain", segmenters.explains),
    Rule(api.Segmenter, "proofs", segmenters.proofs),
    Rule(api.Segmenter, "bytes add up", segmenters.bytes_add_up),
    Rule(api.TextSegmenter, "lines", lines.offsets),
    Rule(api.TextSegmenter, "lines of hard Unicode", lines.hard_unicode),
    Rule(api.TextSegmenter, "lines together", lines.together),
    Rule(api.TextSegmenter, "lines decode", lines.decodes),
    Rule(api.Splitter, "spans", components.spans),
    Rule(api.Splitter, "deterministic", components.splits_alike),
    Rule(api.PairGenerator, "changed words", components.changed_words),
    Rule(api.PairGenerator, "deterministic", components.changes_alike),
    Rule(api.PairGenerator, "same words", components.same_words),
    Rule(api.Analysis, "rows", components.rows),
    Rule(api.VocabularyFormat, "there and back", components.there_and_back),
    Rule(api.View, "shows", components.shows),
    Rule(api.Metric, "deterministic", metrics.deterministic),
    Rule(api.Metric, "range", metrics.in_range),
    Rule(api.Metric, "in context", metrics.in_context, _of_text),
    Rule(api.Metric, "additive", metrics.additive, _of_text),
    Rule(api.Metric, "resamples", metrics.resamples),
    Rule(api.Metric, "undefined", metrics.undefined),
    Rule(api.Metric, "curve", metrics.curve, _of_text),
)
"""All promises of components."""


def promises(
    package: str | None = None,
    files: Sequence[Path] = (),
    variants: Variants | None = None,
    seconds: float = 60,
    quick: bool = False,
) -> list[Promise]:
    """Return the promises of all components of an installed package and of plugin files.

    Without a package or files, return those of everything installed. Each component is checked
    with its default options, unless it needs a file, and with the options in `variants`, for
    example `{"learner bpe": [{"eow": "separate"}]}`. A check of a package of others is done in a
    child process, and may take so many `seconds`. With `quick`, promises that need a fresh process
    are left out. Raises UsageError for a package that offers nothing, and for variants of a
    component that no plugin offers.
    """
    paths, variants = [path.resolve() for path in files], variants or {}
    source = {"package": package, "files": [*map(str, paths)], "variants": variants}
    checks, listed = ChildChecks(source, seconds), dict[str, Promise]()
    for plugin, promise in collected(package, paths, variants, quick):
        check = partial(checks.check, promise) if plugin.is_foreign else promise._check
        listed[str(promise)] = replace(promise, _check=check)
    return [*listed.values()]


def collected(
    package: str | None, files: Sequence[Path], variants: Variants, quick: bool = False
) -> list[tuple[Plugin, Promise]]:
    """Return the promises that `promises` does, each with its plugin, to be checked here."""
    registry = plugins.load(files, lazy=True)
    offers = Offers(registry, files, variants)
    everything = [*registry.plugins, *(broken.plugin for broken in registry.broken)]
    chosen = [plugin for plugin in everything if _is_chosen(plugin, package, files)]
    if not chosen:
        packages = ", ".join(sorted({plugin.package for plugin in everything}))
        raise UsageError(
            f"no plugin of the package {package!r} is installed; there are: {packages}"
        )
    return [(plugin, promise) for plugin in chosen for promise in _of_plugin(plugin, offers, quick)]


def _is_chosen(plugin: Plugin, package: str | None, files: Sequence[Path]) -> bool:
    if package is None and not files:
        return True
    named = package is not None and canonicalize_name(plugin.package) == canonicalize_name(package)
    return named or plugin.package in map(str, files)


def _of_plugin(plugin: Plugin, offers: Offers, quick: bool) -> Iterator[Promise]:
    """Return the promises of a plugin, then those of what it offers."""
    name, registry = f"plugin {plugin.name}", offers.registry
    yield Promise(name, "loads", partial(components.loads, plugin, registry))
    try:
        components.loads(plugin, registry)
    except PromiseError:
        return  # nothing else can be checked
    if not quick:
        yield Promise(name, "light import", partial(components.imports_little, plugin))
    if any(addition.plugin == plugin for addition in registry.additions):
        yield Promise(name, "adds", partial(components.adds, plugin, registry))
    for offer in registry.offers:
        if offer.plugin == plugin:
            yield from _of_offer(offer, offers, quick)


def _of_offer(offer: Offer, offers: Offers, quick: bool) -> Iterator[Promise]:
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
            component = subject.component
            for rule in RULES:
                if quick and rule.check in IN_FRESH_PROCESS:
                    continue
                if isinstance(component, rule.of) and rule.applies(component):
                    check = partial(_with_options_kept, rule.check, subject)
                    yield Promise(str(subject), rule.name, check)


def _with_options_kept(check: Check, subject: Subject[Any]) -> None:
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
