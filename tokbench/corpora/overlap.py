"""Find test lines that also stand in the training text."""

from collections.abc import Iterable, Sequence

from tokbench.corpora.lines import Line
from tokbench.corpora.splitters import ASCII_SPACE

_QUOTED = 60


class Overlap:
    """Finds the lines of a test text that also stand in the training text.

    Lines are equal if they are so but for ASCII white space around them. All lines of the test text
    come before those of the training text.
    """

    def __init__(self, where: str) -> None:
        self._where = where
        self._test_lines: dict[bytes, int] = {}  # how often each line occurs, in order
        self._in_both: set[bytes] = set()

    def watch(self, lines: Sequence[Line]) -> None:
        """Remember lines of the test text."""
        for line in lines:
            text = line.text.strip(ASCII_SPACE).encode()
            self._test_lines[text] = self._test_lines.get(text, 0) + 1

    def see(self, text: bytes) -> None:
        """Compare lines of the training text."""
        lines = map(bytes.strip, text.split(b"\n"))
        self._in_both.update(filter(self._test_lines.__contains__, lines))

    def __str__(self) -> str:
        """Say how many lines also occur in the training text; nothing where none does."""
        if not self._in_both:
            return ""
        both = sum(self._test_lines[line] for line in self._in_both)
        text = next(line for line in self._test_lines if line in self._in_both).decode()
        quoted = repr(text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…")
        total = sum(self._test_lines.values())
        return f"{both:,} of {total:,} in {self._where} (first: {quoted})"


def overlap_warnings(overlaps: Iterable[Overlap]) -> list[str]:
    """Return one warning of all test texts with lines that also occur in the training text."""
    shared = "; ".join(filter(None, map(str, overlaps)))
    what = "test lines that also occur in the training text flatter scores"
    return [f"{what}: {shared}"] if shared else []
