"""What is checked: one component with its options, among all that are on offer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tokbench.api import Component, InputError, Segmenter, Vocabulary
from tokbench.api.component import Use
from tokbench.plugins import Offer, Registry
from tokbench.testing.promise import Given, PromiseError

C = TypeVar("C", bound=Component, covariant=True)

Options = Mapping[str, Any]


class NoVocabularyError(PromiseError):
    """There is no vocabulary that a segmenter takes."""


@dataclass(frozen=True, eq=False)
class Subject(Generic[C]):
    """A component built with options, where it comes from, and what else is there."""

    offer: Offer
    options: Options
    component: C
    registry: Registry
    files: tuple[Path, ...]

    def __str__(self) -> str:
        return f"{self.offer.kind} {self.component.describe(self.offer.name)}"


def default_segmenter(vocabulary: Vocabulary, registry: Registry) -> Segmenter:
    """Build the segmenter that a vocabulary names; raises what `Registry.build` raises."""
    segmenter = registry.build("segmenter", Use.model_validate(dict(vocabulary.segmenter)))
    assert isinstance(segmenter, Segmenter)  # the registry holds only segmenters of that kind
    return segmenter


def usable(
    subject: Subject[Segmenter], vocabularies: Mapping[str, Vocabulary]
) -> Iterator[tuple[str, Vocabulary, Any]]:
    """Give name, vocabulary, and what the segmenter prepares of it.

    A vocabulary that names another segmenter may be refused with an InputError, but not all.
    """
    refused: list[str] = []
    for name, vocabulary in vocabularies.items():
        with Given(f"the vocabulary of {name} to prepare"):
            try:
                prepared = subject.component.prepare(vocabulary)
            except InputError as error:
                if vocabulary.segmenter.get("use") == subject.offer.name:
                    raise
                refused.append(f"{name}: {error}")
                continue
        yield name, vocabulary, prepared
    if len(refused) == len(vocabularies):
        got = f"{len(refused)} refused ({refused[0]})" if refused else "no vocabulary"
        told = f"given the learners on offer: got {got}, expected one to segment with"
        raise NoVocabularyError(told)
