"""From what is on offer to the list of all promises."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args
from unittest import SkipTest

from pydantic import ValidationError

from tokbench import plugins
from tokbench.api import (
    Analysis,
    Component,
    InputFile,
    Learner,
    Metric,
    PairGenerator,
    Segmenter,
    Splitter,
    View,
    Vocabulary,
    VocabularyFormat,
)
from tokbench.api.component import kebab
from tokbench.errors import PluginError, UsageError
from tokbench.plugins import Offer, Plugin, Registry, check_requirements
from tokbench.plugins.importing import settings_kept
from tokbench.testing import components, learners, metrics, segmenters
from tokbench.testing.process import ChildChecks
from tokbench.testing.promise import (
    NoVocabularyError,
    Promise,
    PromiseError,
    SegmenterCheck,
    Subject,
    expect,
)
from tokbench.testing.samples import WORDS

Variants = Mapping[str, Sequence[Mapping[str, Any]]]
LARGE = 10_000
"""A vocabulary of so many tokens is checked only with the segmenter that it names."""


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
    offers = _Offers(plugins.load(paths), paths, variants)
    chosen = [plugin for plugin in offers.plugins if _is_chosen(plugin, package, paths)]
    if not chosen:
        packages = ", ".join(sorted({plugin.package for plugin in offers.plugins}))
        raise UsageError(
            f"no plugin of the package {package!r} is installed; there are: {packages}"
        )
    with settings_kept():
        return [(plugin, promise) for plugin in chosen for promise in offers.of(plugin)]


def _is_chosen(plugin: Plugin, package: str | None, files: Sequence[Path]) -> bool:
    if package is None and not files:
        return True
    is_named = package is not None and _normal(plugin.package) == _normal(package)
    return is_named or plugin.package in map(str, files)


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@dataclass(frozen=True, eq=False)
class _Offers:
    """All that is on offer, and the options to check it with."""

    registry: Registry
    files: tuple[Path, ...]
    variants: Variants
    _learned_by: dict[Offer, dict[str, Vocabulary]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.variants.keys() - {f"{o.kind} {o.name}" for o in self.registry.offers}:
            raise UsageError(f"variants of {name!r}, which no plugin offers")

    @property
    def plugins(self) -> list[Plugin]:
        """Every plugin, broken ones too."""
        return [*self.registry.plugins, *(broken.plugin for broken in self.registry.broken)]

    def of(self, plugin: Plugin) -> Iterator[Promise]:
        """Return the promises of a plugin, then those of what it offers."""
        name = f"plugin {plugin.name}"
        yield Promise(name, "loads", partial(components.loads, plugin, self.registry))
        if plugin in self.registry.plugins:
            light = partial(components.imports_little, plugin, self.files)
            yield Promise(name, "light import", light)
        for offer in self.registry.offers:
            if offer.plugin == plugin:
                yield from self._of_offer(offer)

    def _of_offer(self, offer: Offer) -> Iterator[Promise]:
        subjects = list(self._subjects(offer))
        name = f"{offer.kind} {offer.name}"
        if not subjects:
            yield Promise(name, "builds", partial(_unbuilt, offer))
        for options in self._options(offer):
            if error := _configured(offer, options)[1]:
                what, right = f"the options {dict(options)}", "options that it takes"
                yield Promise(name, "builds", partial(expect, False, what, error, right))
        for subject in subjects:
            yield Promise(str(subject), "documented", partial(components.documented, subject))
            for check_name, check in self._checks(subject).items():
                yield Promise(str(subject), check_name, check)

    def _options(self, offer: Offer) -> list[Mapping[str, Any]]:
        defaults: list[Mapping[str, Any]] = [] if _required(offer) else [{}]
        return [*defaults, *self.variants.get(f"{offer.kind} {offer.name}", ())]

    def _subjects(self, offer: Offer) -> Iterator[Subject[Any]]:
        for options in self._options(offer):
            component, _ = _configured(offer, options)
            if component is not None:
                yield Subject(offer, options, component, self.registry, self.files)

    def _checks(self, subject: Subject[Any]) -> dict[str, Any]:
        try:
            check_requirements(subject.offer.name, type(subject.component))
        except PluginError as error:
            return {"installed": partial(_skipped, str(error))}
        checks: Mapping[str, Any] = {}
        match subject.component:
            case Learner():
                checks = learners.checks(subject.component)
            case Segmenter():
                checks = {
                    name: partial(self._with_vocabularies, check)
                    for name, check in segmenters.checks(subject.component).items()
                }
            case Splitter():
                checks = components.SPLITTER
            case Metric():
                checks = metrics.checks(subject.component)
            case Analysis():
                checks = components.ANALYSIS
            case PairGenerator():
                checks = components.PAIR_GENERATOR
            case View():
                checks = components.VIEW
            case VocabularyFormat():
                checks = {"there and back": self._there_and_back}
        return {name: partial(check, subject) for name, check in checks.items()}

    def _there_and_back(self, subject: Subject[VocabularyFormat]) -> None:
        components.there_and_back(subject, _some(self._learned(self.registry.offers)))

    def _with_vocabularies(
        self, check: SegmenterCheck[Segmenter], subject: Subject[Segmenter]
    ) -> None:
        try:
            check(subject, self._for_segmenter(subject.offer))
        except NoVocabularyError as error:
            if lacking := self._without_files(subject.offer.plugin.package):
                _skipped(f"{error}; no `variants` give files for {', '.join(lacking)}")
            raise

    def _without_files(self, package: str) -> list[str]:
        """Name the learners of a package that there are no files to build with."""
        own = [o for o in self.registry.offers if o.plugin.package == package]
        reading = [offer for offer in own if offer.kind == "learner" and _reads_files(offer)]
        return [f"learner {offer.name}" for offer in reading if not [*self._subjects(offer)]]

    def _for_segmenter(self, segmenter: Offer) -> dict[str, Vocabulary]:
        """Choose the vocabularies that name a segmenter, else some of all kinds.

        Those of its own package come first.
        """
        own = [o for o in self.registry.offers if o.plugin.package == segmenter.plugin.package]
        for offers in (own, self.registry.offers):
            learned = self._learned(offers)
            naming = {s: v for s, v in learned.items() if v.segmenter.get("use") == segmenter.name}
            if chosen := naming or _some(learned):
                return chosen
        return {}

    def _learned(self, offers: Iterable[Offer]) -> dict[str, Vocabulary]:
        """Learn with every learner that can; what the others break is found by their promises."""
        learned: dict[str, Vocabulary] = {}
        for offer in offers:
            if offer.kind == "learner":
                if offer not in self._learned_by:
                    self._learned_by[offer] = dict(self._learn_with(offer))
                learned |= self._learned_by[offer]
        return learned

    def _learn_with(self, offer: Offer) -> Iterator[tuple[str, Vocabulary]]:
        for subject in self._subjects(offer):
            with suppress(PromiseError):
                yield str(subject), learners.learn_some(subject.component, WORDS)


def _some(learned: Mapping[str, Vocabulary]) -> dict[str, Vocabulary]:
    """Return the first vocabulary of each kind, but none of the large ones."""
    kinds: dict[object, tuple[str, Vocabulary]] = {}
    for name, vocabulary in learned.items():
        if len(vocabulary.tokens) < LARGE:
            marks, several = str(vocabulary.marks), bool(vocabulary.learned)
            kind = (vocabulary.units, marks, several, *vocabulary.bytes)
            kinds.setdefault(kind, (name, vocabulary))
    return dict(kinds.values())


def _configured(offer: Offer, options: Mapping[str, Any]) -> tuple[Component | None, str]:
    """Build a component with options: the component, or None and what is wrong with them."""
    try:
        return offer.component.configure(**options), ""
    except ValidationError as error:
        return None, "; ".join(str(problem["msg"]) for problem in error.errors())


def _required(offer: Offer) -> list[str]:
    if offer.component.looks_in:
        return [offer.component.looks_in]  # whether its files are there depends on the machine
    fields = offer.component.model_fields.items()
    return [kebab(name) for name, field in fields if field.is_required()]


def _reads_files(offer: Offer) -> bool:
    if offer.component.looks_in:
        return True
    annotations = [field.annotation for field in offer.component.model_fields.values()]
    return any(InputFile in (annotation, *get_args(annotation)) for annotation in annotations)


def _unbuilt(offer: Offer) -> None:
    missing = ", ".join(_required(offer))
    if _reads_files(offer):
        _skipped(f"checked only with the files of `variants`, of which there are none ({missing})")
    right = f"`variants` that give some for {offer.kind + ' ' + offer.name!r}"
    expect(False, "no options", f"no {missing}", right)


def _skipped(reason: str) -> None:
    raise SkipTest(reason)
