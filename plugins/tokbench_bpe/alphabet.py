"""The alphabet: letters counted by their place in a word, the symbols kept, and their numbers.

The fast learners work on numbers and never spell a word as a list of texts. A letter is counted by
its place once; the alphabet and the numbers follow from these counts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from tokbench.api import Marks, Options, Size, SizeError
from tokbench.api.text import BOW, EOW

BORDER = 0
"""The number of symbols that are never merged: fenced marks, letters outside the alphabet."""

EdgeNumbers = tuple[int, int, int, int]
"""One number each for a letter inside a word, as its first, its last and its only letter."""

INSIDE, FIRST, LAST, ONLY = range(4)
FIRST_LAST = ((False, False), (True, False), (False, True), (True, True))

FEWER: Sequence[Mapping[str, Any]] = (
    {"forms": "seen"},
    {"coverage": 0.999},
    {"forms": "seen", "coverage": 0.999},
)
"""Options that make an alphabet smaller, in the order in which they are proposed."""


class Alphabet(Options):
    """Which letters the vocabulary knows, and in which forms."""

    coverage: float = Field(
        1.0, gt=0, le=1, description="share of the running letters that the kept letters make up"
    )
    forms: Literal["both", "seen"] = Field(
        "both", description="each letter with and without each fused mark, or only as seen"
    )

    def symbols(self, letters: Mapping[str, EdgeNumbers], marks: Marks) -> tuple[str, ...]:
        """Return the alphabet of letters counted by their place, in code-point order.

        Marks that are symbols of their own belong to it.
        """
        kept = self._kept(letters)
        if self.forms == "both":
            forms = {form for letter in kept for form in marks.forms(letter)}
        else:
            forms = {
                marks.form(letter, first, last)
                for letter in kept
                for (first, last), count in zip(FIRST_LAST, letters[letter], strict=True)
                if count
            }
        return tuple(sorted(forms.union(marks.symbols)))

    def within(
        self, size: Size, letters: Mapping[str, EdgeNumbers], marks: Marks
    ) -> tuple[str, ...]:
        """Return the alphabet as `symbols` does; raises SizeError where a total is below it."""
        alphabet = self.symbols(letters, marks)
        if size.total is not None and size.total < len(alphabet):
            raise SizeError(
                f"size {size} is below the alphabet of {len(alphabet)} symbols"
                f"{self._why(letters, marks)}; {self._remedy(size.total, letters, marks)}",
                len(alphabet),
            )
        return alphabet

    def _why(self, letters: Mapping[str, EdgeNumbers], marks: Marks) -> str:
        """Say how the symbols come from the letters."""
        kept = len(self._kept(letters))
        of_all = "" if kept == len(letters) else f" that are kept of {len(letters)}"
        if self.forms == "both" and (forms := len(marks.forms("x"))) > 1:
            times = "twice" if forms == 2 else f"{forms} times"
            return (
                f": each of the {kept} letters{of_all} stands in it {times}, with and without the"
                " mark of a word's edge"
            )
        return f" (of {kept} letters{of_all})"

    def _remedy(self, size: int, letters: Mapping[str, EdgeNumbers], marks: Marks) -> str:
        """Say which options make the alphabet small enough, and how small it is with them."""
        chosen = self.model_dump(exclude_defaults=True)
        tried = [(len(self.symbols(letters, marks)), "")]
        for options in FEWER:
            if options.get("coverage", 0) < self.coverage:
                symbols = len(self.model_copy(update=options).symbols(letters, marks))
                spelled = ", ".join(f"{key}: {now}" for key, now in {**chosen, **options}.items())
                tried.append((symbols, f"with `alphabet: {{{spelled}}}` it"))
                if symbols <= size:
                    return f"{tried[-1][1]} has {symbols}"
        symbols, option = min(tried)
        return (
            f"{option} still has {symbols}, so take a larger size"
            if option
            else "take a larger size"
        )

    def _kept(self, letters: Mapping[str, EdgeNumbers]) -> list[str]:
        """Keep the most frequent letters until they reach the coverage; ties by code point."""
        if self.coverage == 1:
            return list(letters)
        counts = {letter: sum(numbers) for letter, numbers in letters.items()}
        kept: list[str] = []
        covered, wanted = 0, self.coverage * sum(counts.values())
        for letter, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if covered >= wanted:
                break
            kept.append(letter)
            covered += count
        return kept


def beside(alphabet: Sized, size: Size) -> int:
    """Return how many learned items a size asks for, where each is a new token."""
    return size.number - (0 if size.total is None else len(alphabet))


@dataclass(frozen=True)
class SymbolNumbers:
    """The numbers of the symbols that words are spelled with.

    Symbol number `i + 1` is `alphabet[i]`. `letters` maps each letter of the words to its numbers;
    `begin` and `end` are the numbers of the marks that stand as symbols of their own before and
    after each word, BORDER if there is no such mark or if it is fenced.
    """

    alphabet: tuple[str, ...]
    letters: Mapping[str, EdgeNumbers]
    begin: int
    end: int

    @classmethod
    def of(cls, alphabet: tuple[str, ...], letters: Iterable[str], marks: Marks) -> "SymbolNumbers":
        """Assign the numbers of an alphabet's symbols to all letters that words hold."""
        numbers = {symbol: i for i, symbol in enumerate(alphabet, start=1)}
        numbers |= dict.fromkeys(marks.fenced, BORDER)
        return cls(
            alphabet,
            {letter: edge_numbers(letter, marks, numbers, BORDER) for letter in letters},
            numbers.get(BOW, BORDER),
            numbers.get(EOW, BORDER),
        )

    def spell(self, word: str) -> list[int]:
        """Return the numbers of a word's letters, with those of marks that stand around it."""
        letters = self.letters
        if len(word) == 1:
            numbers = [letters[word][ONLY]]
        else:
            numbers = [letters[letter][INSIDE] for letter in word]
            numbers[:1] = [letters[letter][FIRST] for letter in word[:1]]
            numbers[-1:] = [letters[letter][LAST] for letter in word[-1:]]
        begin = [self.begin] if self.begin != BORDER else []
        return begin + numbers + ([self.end] if self.end != BORDER else [])


def edge_numbers(
    letter: str, marks: Marks, numbers: Mapping[str, int], unknown: int
) -> EdgeNumbers:
    """Return the numbers of a letter with the marks that it gets at each place in a word."""
    forms = (marks.form(letter, first, last) for first, last in FIRST_LAST)
    inside, first, last, only = (numbers.get(form, unknown) for form in forms)
    return inside, first, last, only


def letter_counts(words: Mapping[str, int]) -> dict[str, EdgeNumbers]:
    """Count the running letters of counted words by their place in the word."""
    inside, first, last, only = (Counter[str]() for _ in range(4))
    for word, count in words.items():
        if len(word) == 1:
            only[word] += count
        elif word:
            first[word[0]] += count
            last[word[-1]] += count
            for letter in word[1:-1]:
                inside[letter] += count
    letters = sorted({*inside, *first, *last, *only})
    return {
        letter: (inside[letter], first[letter], last[letter], only[letter]) for letter in letters
    }
