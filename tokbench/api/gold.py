"""Gold segmentations: from the lines of a file to words with their morphs."""

from abc import abstractmethod
from typing import NamedTuple

from tokbench.api.component import Component


class GoldEntry(NamedTuple):
    """A word with its gold segmentations, best first, each as its morphs in order.

    Morphs may join to the word, or be canonical forms, as `funny` and `er` of *funnier*.
    """

    word: str
    alternatives: tuple[tuple[str, ...], ...]
    category: str = ""


class GoldReader(Component):
    """Reads the lines of a gold file. Subclass it and define `read`."""

    @abstractmethod
    def read(self, line: str) -> GoldEntry | None:
        """Return the entry of a line without its line end, None for a line that holds none.

        Blank lines are left out before. Raises ValueError, which says what is wrong with the line.
        """
