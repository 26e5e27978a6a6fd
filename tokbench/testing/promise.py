"""One promise, the component that makes it, and how a check says that it is broken."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic, TypeVar
from unittest import SkipTest

from tokbench.api import Component, InputError, Marks, Segmenter, Vocabulary
from tokbench.cut import BoundSegmenter
from tokbench.errors import TokbenchError
from tokbench.plugins import Offer, Registry

LONGEST = 200


class PromiseError(AssertionError):
    """A promise is broken; the message says what was given, what came out, what would be right."""


@dataclass(frozen=True)
class Promise:
    """One promise of a plugin or component, which its `str` names: `learner bpe: sizes`.

    `known_break` says why it cannot be kept, where that is known.
    """

    subject: str
    name: str
    _check: Callable[[], None] = field(repr=False)
    known_break: str = ""

    def __str__(self) -> str:
        return f"{self.subject}: {self.name}"

    def run(self) -> None:
        """Check, whatever is known of it; raises PromiseError or unittest.SkipTest."""
        with checking("the samples of tokbench.testing"):
            self._check()

    def check(self) -> None:
        """Raise PromiseError, an AssertionError, unless the promise is kept.

        Raise unittest.SkipTest, which pytest reports with its reason, where something that the
        check needs is missing, or where the promise has a `known_break` and is broken. A promise
        with a `known_break` that is kept raises PromiseError: the break is no longer true.
        """
        try:
            self.run()
        except PromiseError as broken:
            if self.known_break:
                raise SkipTest(f"{self}: known break: {self.known_break} ({broken})") from None
            raise PromiseError(f"{self}: {broken}") from broken.__cause__
        if self.known_break:
            raise PromiseError(f"{self}: kept, so it is no known break ({self.known_break})")


@contextmanager
def checking(what: str) -> Iterator[None]:
    """Turn any error raised inside, even SystemExit, into a PromiseError that names the input.

    Ctrl-C passes, and so does a test that is skipped.
    """
    try:
        yield
    except (PromiseError, SkipTest, KeyboardInterrupt):
        raise
    except TokbenchError as error:
        raise PromiseError(f"given {what}: {error}") from error
    except BaseException as error:
        raised = " ".join(f"{type(error).__name__}: {error}".split())
        raise PromiseError(f"given {what}: it raised {raised}") from error


def expect(kept: bool, what: str, got: object, right: str) -> None:
    """Raise PromiseError unless a promise is kept; `right` says what would have been."""
    if not kept:
        raise PromiseError(f"given {what}: got {short(got)}, expected {right}")


def short(value: object) -> str:
    """Show a value on one line, its middle left out where it is long."""
    shown = value if isinstance(value, str) else repr(value)
    if len(shown) <= LONGEST:
        return shown
    return f"{shown[: LONGEST // 2]} ... {shown[-LONGEST // 4 :]}"


C = TypeVar("C", bound=Component, covariant=True)
U = TypeVar("U", bound="Usable")

Vocabularies = Mapping[str, Vocabulary]
"""Vocabularies by the learner that made them."""


class NoVocabularyError(PromiseError):
    """There is no vocabulary that a segmenter takes."""


@dataclass(frozen=True, eq=False)
class Subject(Generic[C]):
    """A component built with options, where it comes from, and what else is there."""

    offer: Offer
    options: Mapping[str, Any]
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

    @cached_property
    def bound(self) -> BoundSegmenter:
        """Both behind the checks that runs make."""
        return BoundSegmenter(self.segmenter, self.vocabulary)

    @property
    def special(self) -> list[str]:
        """The texts that spell special tokens, 20 at most."""
        special = self.vocabulary.special[:20]
        return [text for i in special if (text := Marks.strip(self.vocabulary.tokens[i]))]


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
