"""The promises of pair generators."""

from collections.abc import Mapping
from random import Random

from tokbench.api import PairGenerator
from tokbench.corpora.entries import wrong_change
from tokbench.corpora.words import LONGEST
from tokbench.testing.promise import checking, expect
from tokbench.testing.samples import ALL
from tokbench.testing.subject import Check, Subject

DRAWS = 20
WORDS = [word for word in ALL if 2 * len(word) <= LONGEST]  # longer ones are never changed


def changed_words(subject: Subject[PairGenerator]) -> None:
    """Check that a changed word is another one, not empty, without white space and marks."""
    for word in WORDS:
        for seed in range(DRAWS):
            changed = _change(subject, word, seed)
            wrong = "" if changed is None else wrong_change(word, changed)
            expect(not wrong, f"the word {word!r}", wrong, "another word, or None")


def deterministic(subject: Subject[PairGenerator]) -> None:
    """Check that the same seed gives the same word, whatever was changed before."""
    first = {(word, seed): _change(subject, word, seed) for word in WORDS for seed in range(DRAWS)}
    for (word, seed), changed in reversed(first.items()):
        again = _change(subject, word, seed)
        expect(again == changed, f"{word!r} with the same seed", again, f"{changed!r} as before")


def same_words(subject: Subject[PairGenerator]) -> None:
    """Check that a word can be changed whatever is drawn, or never: else draws would be lost."""
    for word in WORDS:
        drawn = {_change(subject, word, seed) is None for seed in range(DRAWS)}
        expect(len(drawn) == 1, f"{word!r}", "a change or None, by seed", "always the same of both")


def _change(subject: Subject[PairGenerator], word: str, seed: int) -> str | None:
    with checking(f"the word {word!r}"):
        return subject.component.change(word, Random(seed))


CHECKS: Mapping[str, Check[PairGenerator]] = {
    "changed words": changed_words,
    "deterministic": deterministic,
    "same words": same_words,
}
