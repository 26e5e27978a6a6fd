"""Slips on a keyboard."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
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
        letters: list[str] = regex.findall(r"\X", word)
        allowed = {
            slip: places for slip in self.slips if (places := [*_places(slip, letters, word)])
        }
        if not allowed:
            return None
        slip = random.choice([*allowed])
        return random.choice(allowed[slip])


def _places(slip: Slip, letters: Sequence[str], word: str) -> Iterator[str]:
    """Return the words that a slip can make, one a place and, of neighbours, a key."""
    for i in range(len(letters)):
        for new in _CHANGES[slip](letters[i : i + 2]):
            taken = 2 if slip == "transposition" else 1
            changed = "".join((*letters[:i], new, *letters[i + taken :]))
            if changed not in ("", word):
                yield changed


def _neighbour(letters: Sequence[str]) -> Iterator[str]:
    letter = letters[0]
    for key in neighbours().get(letter.lower(), ""):
        yield key.upper() if letter.isupper() else key


def _transposition(letters: Sequence[str]) -> Iterator[str]:
    if len(letters) == 2:
        yield letters[1] + letters[0]


def _doubling(letters: Sequence[str]) -> Iterator[str]:
    yield letters[0] * 2


def _omission(letters: Sequence[str]) -> Iterator[str]:
    yield ""


_CHANGES: Mapping[Slip, Callable[[Sequence[str]], Iterator[str]]] = {
    "neighbour": _neighbour,
    "transposition": _transposition,
    "doubling": _doubling,
    "omission": _omission,
}


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
