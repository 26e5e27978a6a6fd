"""The alphabet: the symbols that a vocabulary holds before anything is merged."""

from collections.abc import Mapping, Sequence, Sized
from typing import Any, Literal

from pydantic import Field

from tokbench.api import Marks, Options, Size, SizeError
from tokbench_bpe.learn.spelling import FIRST_LAST, EdgeNumbers

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
        given = self.model_dump(exclude_defaults=True)
        tried = [(len(self.symbols(letters, marks)), "")]
        for options in FEWER:
            if options.get("coverage", 0) < self.coverage:
                symbols = len(self.model_copy(update=options).symbols(letters, marks))
                spelled = ", ".join(f"{key}: {now}" for key, now in {**given, **options}.items())
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
