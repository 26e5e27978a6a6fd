"""Slips on a keyboard."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Literal

import regex
from pydantic import Field

from tokbench.api import PairGenerator

Slip = Literal["neighbour", "transposition", "doubling", "omission"]
SLIPS: tuple[Slip, ...] = ("neighbour", "transposition", "doubling", "omission")

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
"""The letters of a QWERTY keyboard; each row begins about half a key further to the right."""


class Keyboard(PairGenerator):
    """One slip of a typist in a word.

    A letter becomes its neighbour on a QWERTY keyboard, changes places with the next one, is typed
    twice, or is left out. The slip is drawn among those that the word allows, then its place.
    Letters with their accents stay together; neighbours are known of the letters a to z.
    """

    slips: tuple[Slip, ...] = Field(SLIPS, min_length=1, description="the slips to draw from")

    def change(self, word: str, random: Random) -> str | None:
        """Draw one slip; None where the word allows none."""
        letters: list[str] = list(word) if word.isascii() else regex.findall(r"\X", word)
        slips: list[Slip] = [*self.slips]
        places: Sequence[int] = ()
        while slips and not places:  # each that the word allows is drawn as often
            slip = slips.pop(random.randrange(len(slips)))
            places = _places(slip, letters)
        if not places:
            return None
        i = random.choice(places)
        before, letter, after = letters[:i], letters[i], letters[i + 1 :]
        if slip == "neighbour":
            key = random.choice(neighbours()[letter.lower()])
            new = [key.upper() if letter.isupper() else key]
        elif slip == "transposition":
            new, after = [after[0], letter], after[1:]
        else:
            new = [letter, letter] if slip == "doubling" else []
        return "".join((*before, *new, *after))


def _places(slip: Slip, letters: Sequence[str]) -> Sequence[int]:
    """Return the letters at which a slip makes another word; a single one is never left out."""
    if slip == "neighbour":
        known = neighbours()
        return [i for i, letter in enumerate(letters) if letter.lower() in known]
    if slip == "transposition":
        return [i for i, (a, b) in enumerate(pairwise(letters)) if a + b != b + a]
    return range(len(letters)) if slip == "doubling" or len(letters) > 1 else ()


@cache
def neighbours() -> Mapping[str, str]:
    """Return the keys around each letter.

    >>> neighbours()["s"], neighbours()["p"]
    ('awedxz', 'ol')
    """
    places = {key: (x + y / 2, y) for y, row in enumerate(ROWS) for x, key in enumerate(row)}
    return {
        key: "".join(
            sorted(
                (o for o, (u, v) in places.items() if o != key and abs(u - x) <= 1 >= abs(v - y)),
                key=lambda o: (places[o][0] - x, places[o][1]),
            )
        )
        for key, (x, y) in places.items()
    }
