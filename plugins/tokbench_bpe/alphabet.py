"""The alphabet: the symbols that a vocabulary holds before anything is merged."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from tokbench.api import Marks, Options


class Alphabet(Options):
    """Which letters the vocabulary knows, and in which forms."""

    coverage: float = Field(
        1.0, gt=0, le=1, description="share of the running letters that the kept letters make up"
    )
    forms: Literal["both", "seen"] = Field(
        "both", description="each letter with and without each fused mark, or only as seen"
    )

    def symbols(self, words: Mapping[str, int], marks: Marks) -> tuple[str, ...]:
        """Give the alphabet of counted words in code-point order, marks of their own included."""
        letters = self._letters(words)
        if self.forms == "both":
            forms = {form for letter in letters for form in marks.forms(letter)}
        else:
            spelled = {symbol for word in words for symbol in marks.spell(word)}
            forms = {symbol for symbol in spelled if Marks.strip(symbol) in letters}
        return tuple(sorted(forms.union(marks.symbols)))

    def _letters(self, words: Mapping[str, int]) -> set[str]:
        """Keep the most frequent letters until they reach the coverage; ties by code point."""
        counts: Counter[str] = Counter()
        for word, count in words.items():
            for letter in word:
                counts[letter] += count
        kept: set[str] = set()
        covered, wanted = 0, self.coverage * counts.total()
        for letter, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if covered >= wanted:
                break
            kept.add(letter)
            covered += count
        return kept
