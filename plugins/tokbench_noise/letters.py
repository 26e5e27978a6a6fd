"""Letters that look alike, lose or gain accents, or change case."""

from collections.abc import Iterator
from random import Random
from typing import Literal
from unicodedata import combining, normalize

from pydantic import Field

from tokbench.api import PairGenerator

LATIN = "aceijopsxyABCEHIJKMOPSTXYZ"
ALIKE = "асеіјорѕхуАВСЕНІЈКМОРЅТХУΖ"
"""Letters that look like these in most fonts (Unicode Technical Standard 39)."""
ALIKES = str.maketrans(LATIN + ALIKE, ALIKE + LATIN)

ACCENTS = "\u0300\u0301\u0302\u0303\u0308"


class Homoglyphs(PairGenerator):
    """One letter of a word becomes another that looks alike, as in addresses made to deceive.

    Latin letters become Cyrillic ones (Z becomes the Greek Zeta), and the other way round.
    """

    def change(self, word: str, random: Random) -> str | None:
        """Draw the letter; None where none has a look-alike."""
        places = [i for i, char in enumerate(word) if ord(char) in ALIKES]
        if not places:
            return None
        i = random.choice(places)
        return word[:i] + word[i].translate(ALIKES) + word[i + 1 :]


class Diacritics(PairGenerator):
    """A word loses its diacritics, as where they are not typed; one without them gains one.

    Diacritics are the combining marks of letters in canonical decomposition (NFD), such as accents,
    the cedilla, and Hebrew and Arabic vowel points. A gained accent is one of five, on a vowel.
    """

    only: Literal["loss", "gain"] | None = Field(
        None, description="change only words with diacritics (`loss`), or only those without"
    )

    def change(self, word: str, random: Random) -> str | None:
        """Remove all diacritics, or draw a vowel and its accent; None where neither can be done."""
        bare = normalize("NFC", "".join(c for c in normalize("NFD", word) if not combining(c)))
        if bare != normalize("NFC", word):
            return None if self.only == "gain" or not bare else bare
        places = [i for i, char in enumerate(word) if char.lower() in "aeiou"]
        if self.only == "loss" or not places:
            return None
        i = random.choice(places)
        return word[:i] + normalize("NFC", word[i] + random.choice(ACCENTS)) + word[i + 1 :]


class Case(PairGenerator):
    """A word in other case: all capitals, a capital at the beginning, no capitals, or inverted."""

    def change(self, word: str, random: Random) -> str | None:
        """Draw one of the other forms of the word; None for a script without case."""
        forms = dict.fromkeys(form for form in _forms(word) if form != word)
        return random.choice([*forms]) if forms else None


def _forms(word: str) -> Iterator[str]:
    yield word.upper()
    yield word[:1].upper() + word[1:].lower()
    yield word.lower()
    yield word.swapcase()
