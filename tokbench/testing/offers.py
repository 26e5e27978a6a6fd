"""All that is on offer, as the checks see it: components with options, and vocabularies to cut."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_args
from unittest import SkipTest

from pydantic import ValidationError

from tokbench.api import Component, InputFile, Learner, Size, SizeError, Vocabulary
from tokbench.api.component import Use, kebab
from tokbench.api.corpora import CountedWords
from tokbench.corpora.words import TrainingText
from tokbench.errors import BrokenPluginError, MissingExtraError, UsageError
from tokbench.plugins import Offer, Registry
from tokbench.runner.learning import vocabulary_of
from tokbench.testing.promise import Failure, PromiseError, checking, expect, short
from tokbench.testing.samples import WORDS

C = TypeVar("C", bound=Component, covariant=True)
Variants = Mapping[str, Sequence[Mapping[str, Any]]]
LARGE = 10_000
"""A vocabulary of so many tokens is checked only with the segmenter that it names."""


@dataclass(frozen=True, eq=False)
class Subject(Generic[C]):
    """A component built with options, where it comes from, and what else is on offer."""

    offer: Offer
    options: Mapping[str, Any]
    component: C
    offers: "Offers"

    def __str__(self) -> str:
        return f"{self.offer.kind} {self.component.describe(self.offer.name)}"


class SampleVocabulary(NamedTuple):
    """What a learner made of the sample words."""

    learner: Subject[Learner]
    vocabulary: Vocabulary

    @property
    def segmenter(self) -> object:
        """The segmenter that it names."""
        return self.vocabulary.segmenter.get("use")


@dataclass(frozen=True, eq=False)
class Offers:
    """All components on offer, the options to check them with, and samples of their learners."""

    registry: Registry
    files: Sequence[Path]
    variants: Variants
    _samples: dict[Offer, list[SampleVocabulary]] = field(default_factory=dict)
    _broken: list[Offer] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in self.variants.keys() - {f"{o.kind} {o.name}" for o in self.registry.offers}:
            raise UsageError(f"variants of {name!r}, which no plugin offers")

    def options(self, offer: Offer) -> list[Mapping[str, Any]]:
        """List the options to check a component with: its defaults, if it has, and `variants`."""
        defaults: list[Mapping[str, Any]] = [] if required(offer) else [{}]
        return [*defaults, *self.variants.get(f"{offer.kind} {offer.name}", ())]

    def build(self, offer: Offer, options: Mapping[str, Any]) -> Subject[Any]:
        """Build a component as a run does; raises PromiseError with what is wrong with it.

        Raise SkipTest if the extra that it needs is missing.
        """
        what = f"the options {dict(options)}"
        with checking(what):
            try:
                use = Use(use=offer.name, **options)
                return Subject(offer, options, self.registry.build(offer.kind, use), self)
            except MissingExtraError as error:
                raise SkipTest(str(error)) from None
            except ValidationError as error:
                reasons = "; ".join(str(problem["msg"]) for problem in error.errors())
                wrong = f"got {reasons}, expected options that it takes"
                raise PromiseError(Failure(what, wrong)) from None

    def vocabularies(self) -> list[SampleVocabulary]:
        """Return small vocabularies of all kinds."""
        return _one_of_each_kind(self._learn(self.registry.offers))

    def vocabularies_for(self, segmenter: Offer) -> list[SampleVocabulary]:
        """Return the vocabularies that name a segmenter, else some of all kinds.

        Learn with all learners only if those of its own package do not suffice. Raises SkipTest if
        one of these is broken, and so may lack the vocabulary that the segmenter is for.
        """
        for offers in (self._of_package(segmenter.plugin.package), self.registry.offers):
            samples = self._learn(offers)
            naming = [sample for sample in samples if sample.segmenter == segmenter.name]
            broken = [learner.name for learner in offers if learner in self._broken]
            if broken and not naming:
                raise SkipTest(f"no vocabulary to cut with: learner {broken[0]} is broken")
            if chosen := naming or _one_of_each_kind(samples):
                return chosen
        return []

    def without_files(self, segmenter: Offer) -> list[str]:
        """Name the learners of a segmenter's package that cannot learn without files."""
        return [
            f"learner {offer.name}"
            for offer in self._of_package(segmenter.plugin.package)
            if offer.kind == "learner" and reads_files(offer) and not self.options(offer)
        ]

    def _of_package(self, package: str) -> list[Offer]:
        return [offer for offer in self.registry.offers if offer.plugin.package == package]

    def _learn(self, offers: Iterable[Offer]) -> list[SampleVocabulary]:
        """Learn with every learner that can; the errors of others are found by their own checks."""
        samples: list[SampleVocabulary] = []
        for offer in offers:
            if offer.kind == "learner":
                if offer not in self._samples:
                    self._samples[offer] = [*self._learn_with(offer)]
                samples += self._samples[offer]
        return samples

    def _learn_with(self, offer: Offer) -> Iterator[SampleVocabulary]:
        try:
            listed = self.options(offer)
        except BrokenPluginError:
            return  # of another plugin, whose own promise says why
        for options in listed:
            try:
                learner = self.build(offer, options)
                vocabulary = learn_some(learner.component)
            # The checks of the learner itself say what is wrong with it.
            except (PromiseError, SkipTest) as error:
                if isinstance(error, PromiseError):
                    self._broken.append(offer)
                continue
            yield SampleVocabulary(learner, vocabulary)


def _one_of_each_kind(samples: Iterable[SampleVocabulary]) -> list[SampleVocabulary]:
    """Return the first of each kind of vocabulary, but none of the large ones."""
    kinds: dict[object, SampleVocabulary] = {}
    for sample in samples:
        vocabulary = sample.vocabulary
        if len(vocabulary.tokens) < LARGE:
            marks, several = str(vocabulary.marks), bool(vocabulary.learned)
            kinds.setdefault((vocabulary.units, marks, several, *vocabulary.bytes), sample)
    return [*kinds.values()]


def required(offer: Offer) -> list[str]:
    """List the options without which a component cannot be built everywhere."""
    if offer.component.looks_in:
        return [offer.component.looks_in]  # whether its files are there depends on the machine
    fields = offer.component.model_fields.items()
    return [kebab(name) for name, option in fields if option.is_required()]


def reads_files(offer: Offer) -> bool:
    """Return whether a component has an option that names a file or a folder of files."""
    if offer.component.looks_in:
        return True
    annotations = [option.annotation for option in offer.component.model_fields.values()]
    return any(InputFile in (annotation, *get_args(annotation)) for annotation in annotations)


class CountedLines:
    """Lines in which each word stands as often as it is counted; they can only be gone through."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self._words = words

    def __iter__(self) -> Iterator[str]:
        """Iterate over the lines: line `n` has all words that are counted more than `n` times."""
        for number in range(max(self._words.values(), default=0)):
            yield " ".join(word for word, count in self._words.items() if count > number)


def learn(learner: Learner, size: Size, words: Mapping[str, int] = WORDS) -> Vocabulary | SizeError:
    """Learn from words or lines of them; return the SizeError if that size does not exist."""
    what = f"the words {short(list(words))} and size {size}"
    with checking(what):
        try:
            text = TrainingText(CountedWords.of(words), CountedLines(words))
            vocabulary = vocabulary_of(learner, text, size)
        except SizeError as error:
            return error
    expect(isinstance(vocabulary, Vocabulary), what, vocabulary, "a Vocabulary")
    return vocabulary


def learn_some(learner: Learner, words: Mapping[str, int] = WORDS, more: int = 60) -> Vocabulary:
    """Learn a vocabulary of `more` tokens, or of so many above the smallest that exists."""
    result = learn(learner, Size(total=more), words)
    if isinstance(result, SizeError):
        result = learn(learner, Size(total=result.minimum + more), words)
    if isinstance(result, SizeError):
        twice = f"a SizeError named the minimum {result.minimum}, then again"
        raise PromiseError(Failure("the sample words", twice))
    return result
