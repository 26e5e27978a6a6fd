"""The alphabet: the symbols that a vocabulary holds before anything is merged."""

from collections.abc import Mapping, Sized
from typing import Literal

from pydantic import Field

from tokbench.api import Marks, Options, Size, SizeError
from tokbench_bpe.learn.spelling import FIRST_LAST, EdgeNumbers


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
        kept = self._kept({letter: sum(counts) for letter, counts in letters.items()})
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
                f"{self._why(len(alphabet), letters, marks)}",
                len(alphabet),
            )
        return alphabet

    def _why(self, symbols: int, letters: Mapping[str, EdgeNumbers], marks: Marks) -> str:
        """Say why there are more symbols than letters, and what makes them fewer."""
        less = "`alphabet: {coverage: 0.999}` leaves out the rarest letters"
        forms = len(marks.forms("x"))
        if forms > 1 and self.forms == "both":
            less = f"`alphabet: {{forms: seen}}` keeps those that occur, {less}"
            return (
                f": each of the {len(letters)} letters stands in it {forms} times, with and without"
                f" the mark of a word's edge; {less}"
            )
        return f", for {len(letters)} letters; {less}"

    def _kept(self, counts: Mapping[str, int]) -> list[str]:
        """Keep the most frequent letters until they reach the coverage; ties by code point."""
        if self.coverage == 1:
            return list(counts)
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
