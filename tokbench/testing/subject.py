"""The subject of a check: one component with its options, among all that are on offer."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from tokbench.api import Component, InputError, Marks, Segmenter, Vocabulary
from tokbench.plugins import Offer, Registry
from tokbench.testing.promise import PromiseError, checking

C = TypeVar("C", bound=Component, covariant=True)

GivenOptions = Mapping[str, Any]
Vocabularies = Mapping[str, Vocabulary]
"""Vocabularies by the learner that made them."""

MOST_SPELLED = 20


class NoVocabularyError(PromiseError):
    """There is no vocabulary that a segmenter takes."""


@dataclass(frozen=True, eq=False)
class Subject(Generic[C]):
    """A component built with options, where it comes from, and what else is there."""

    offer: Offer
    options: GivenOptions
    component: C
    registry: Registry
    files: tuple[Path, ...]

    def __str__(self) -> str:
        return f"{self.offer.kind} {self.component.describe(self.offer.name)}"


Check = Callable[[Subject[C]], None]
SegmenterCheck = Callable[[Subject[C], Vocabularies], None]


@dataclass(frozen=True, eq=False)
class Usable:
    """A segmenter and one vocabulary that it takes, with what it prepares of it."""

    segmenter: Any
    name: str
    vocabulary: Vocabulary
    prepared: Any

    @property
    def special(self) -> list[str]:
        """The texts that spell special tokens, 20 at most."""
        special = self.vocabulary.special[:MOST_SPELLED]
        return [text for i in special if (text := Marks.strip(self.vocabulary.tokens[i]))]


U = TypeVar("U", bound=Usable)


def usable(subject: Subject[Segmenter], vocabularies: Vocabularies, kind: type[U]) -> Iterator[U]:
    """Prepare each vocabulary for the segmenter, and return those that it takes.

    A vocabulary that names another segmenter may be refused with an InputError, but not all.
    """
    refused: list[str] = []
    for name, vocabulary in vocabularies.items():
        with checking(f"the vocabulary of {name} to prepare"):
            try:
                prepared = subject.component.prepare(vocabulary)
            except InputError as error:
                if vocabulary.segmenter.get("use") == subject.offer.name:
                    raise
                refused.append(f"{name}: {error}")
                continue
        yield kind(subject.component, name, vocabulary, prepared)
    if len(refused) == len(vocabularies):
        got = f"{len(refused)} refused ({refused[0]})" if refused else "no vocabulary"
        right = "expected one to segment with"
        raise NoVocabularyError(f"given the learners on offer: got {got}, {right}")
