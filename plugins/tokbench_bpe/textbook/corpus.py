"""The training words as rows of symbols with counts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tokbench.api import Marks

Symbols = list[str]


@dataclass(frozen=True)
class Corpus:
    """Each distinct word as its symbols, in order of first occurrence, with its count.

    `blocked` are the symbols that take no part in merges: fenced marks and letters that the
    alphabet does not hold.
    """

    words: list[Symbols]
    counts: list[int]
    blocked: frozenset[str]

    @classmethod
    def spell(cls, words: Mapping[str, int], marks: Marks, alphabet: Iterable[str]) -> "Corpus":
        """Split counted words into symbols as the marks say."""
        spelled = [marks.spell(word) for word in words]
        used = {symbol for symbols in spelled for symbol in symbols}
        return cls(spelled, list(words.values()), marks.fenced | (used - set(alphabet)))
