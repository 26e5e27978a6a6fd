"""From what is on offer to the list of all promises."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from tokbench import plugins
from tokbench.api import Learner, Metric, Segmenter, Splitter, Vocabulary
from tokbench.api.component import kebab
from tokbench.errors import UsageError
from tokbench.plugins import Offer, Plugin, Registry
from tokbench.testing import learners, metrics, segmenters, splitters
from tokbench.testing.options import documented
from tokbench.testing.plugin import imports_little, loads
from tokbench.testing.promise import Promise, PromiseError, expect
from tokbench.testing.samples import WORDS
from tokbench.testing.subject import Options, Subject

Variants = Mapping[str, Sequence[Options]]


def promises(
    package: str | None = None, files: Sequence[Path] = (), variants: Variants | None = None
) -> list[Promise]:
    """Give the promises of all components of an installed package and of plugin files.

    Without either, of everything installed. Components are checked with their default options,
    and besides with those in `variants`, for example `{"learner bpe": [{"eow": "separate"}]}`.
    Raises UsageError for a package that offers nothing, and for a variant of nothing on offer.
    """
    paths = tuple(path.resolve() for path in files)
    offers = _Offers(plugins.load(paths), paths, variants or {})
    chosen = [plugin for plugin in offers.plugins if _is_chosen(plugin, package, paths)]
    if not chosen:
        known = ", ".join(sorted({plugin.package for plugin in offers.plugins}))
        raise UsageError(f"no plugin of the package {package!r} is installed; there are: {known}")
    return [promise for plugin in chosen for promise in offers.of(plugin)]


def _is_chosen(plugin: Plugin, package: str | None, files: Sequence[Path]) -> bool:
    if package is None and not files:
        return True
    named = package is not None and _normal(plugin.package) == _normal(package)
    return named or plugin.package in map(str, files)


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@dataclass(frozen=True, eq=False)
class _Offers:
    """All that is on offer, and the options to check it with."""

    registry: Registry
    files: tuple[Path, ...]
    variants: Variants

    def __post_init__(self) -> None:
        known = {f"{offer.kind} {offer.name}" for offer in self.registry.offers}
        for name in self.variants:
            if name not in known:
                raise UsageError(f"variants of {name!r}, which no plugin offers")

    @property
    def plugins(self) -> list[Plugin]:
        """Every plugin, broken ones too."""
        return [*self.registry.plugins, *(broken.plugin for broken in self.registry.broken)]

    def of(self, plugin: Plugin) -> Iterator[Promise]:
        """Give the promises of a plugin, then those of what it offers."""
        name = f"plugin {plugin.name}"
        yield Promise(name, "loads", partial(loads, plugin, self.registry))
        if plugin in self.registry.plugins:
            yield Promise(name, "light import", partial(imports_little, plugin, self.files))
        for offer in self.registry.offers:
            if offer.plugin is plugin:
                yield from self._of_offer(offer)

    def _of_offer(self, offer: Offer) -> Iterator[Promise]:
        subjects = list(self._subjects(offer))
        if not subjects:
            yield Promise(f"{offer.kind} {offer.name}", "builds", partial(_unbuilt, offer))
        for subject in subjects:
            yield Promise(str(subject), "documented", partial(documented, subject))
            for name, check in self._checks(subject).items():
                yield Promise(str(subject), name, check)

    def _subjects(self, offer: Offer) -> Iterator[Subject[Any]]:
        defaults: list[Options] = [] if _required(offer) else [{}]
        for options in (*defaults, *self.variants.get(f"{offer.kind} {offer.name}", ())):
            component = offer.component.configure(**options)
            yield Subject(offer, options, component, self.registry, self.files)

    def _checks(self, subject: Subject[Any]) -> dict[str, Any]:
        found: Mapping[str, Any] = {}
        match subject.component:
            case Learner():
                found = learners.checks(subject.component)
            case Segmenter():
                found = {
                    name: partial(self._with_vocabularies, check)
                    for name, check in segmenters.CHECKS.items()
                }
            case Splitter():
                found = splitters.CHECKS
            case Metric():
                found = metrics.checks(subject.component)
        return {name: partial(check, subject) for name, check in found.items()}

    def _with_vocabularies(self, check: segmenters.Check, subject: Subject[Segmenter]) -> None:
        check(subject, self._for_segmenter(subject.offer))

    def _for_segmenter(self, segmenter: Offer) -> dict[str, Vocabulary]:
        """Choose the vocabularies that name a segmenter, else its package's own, else all."""
        choices = [
            {s: v for s, v in self._learned.items() if v.segmenter.get("use") == segmenter.name},
            {
                subject: vocabulary
                for subject, vocabulary in self._learned.items()
                if subject.offer.plugin.package == segmenter.plugin.package
            },
            self._learned,
        ]
        chosen: Mapping[Subject[Learner], Vocabulary] = next(filter(None, choices), {})
        return {str(subject): vocabulary for subject, vocabulary in chosen.items()}

    @cached_property
    def _learned(self) -> dict[Subject[Learner], Vocabulary]:
        """Learn with every learner that can; what the others break is found by their promises."""
        found = {}
        for offer in self.registry.offers:
            for subject in self._subjects(offer) if offer.kind == "learner" else ():
                try:
                    found[subject] = learners.learn_some(subject.component, WORDS)
                except PromiseError:
                    continue
        return found


def _required(offer: Offer) -> list[str]:
    fields = offer.component.model_fields.items()
    return [kebab(name) for name, field in fields if field.is_required()]


def _unbuilt(offer: Offer) -> None:
    right = f"`variants` that give some for {offer.kind + ' ' + offer.name!r}"
    expect(False, "no options", f"no {', '.join(_required(offer))}", right)
