"""Test lines that also stand in the training text."""

from collections import Counter

from tokbench.corpora.splitters import ASCII_SPACE
from tokbench.corpora.text import Line

_QUOTED = 60


class Overlap:
    """Finds the lines of a test text that also stand in the training text."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._lines: Counter[str] = Counter()
        self._found: set[str] = set()

    def watch(self, line: Line) -> None:
        """Remember a line of the test text."""
        self._lines[line.text.strip(ASCII_SPACE)] += 1

    def see(self, line: Line) -> None:
        """Compare a line of the training text."""
        text = line.text.strip(ASCII_SPACE)
        if text in self._lines:
            self._found.add(text)

    @property
    def warnings(self) -> list[str]:
        """Say how many of the lines also stand in the training text, if any."""
        if not self._found:
            return []
        both = sum(self._lines[text] for text in self._found)
        first = next(text for text in self._lines if text in self._found)
        quoted = repr(first if len(first) <= _QUOTED else f"{first[:_QUOTED]}…")
        return [
            f"{self._where}: {both:,} of its {self._lines.total():,} lines also stand in the "
            f"training text (first: {quoted}), which flatters its scores"
        ]
