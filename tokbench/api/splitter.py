"""The splitter: from a text to the words that are learned from, segmented and scored."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from tokbench.api.component import Component


class Splitter(Component):
    """Finds the words of a text. Subclass it and define `split`."""

    @abstractmethod
    def split(self, text: str) -> Sequence[tuple[int, int]]:
        """Return (start, end) of each word in code points, in order, without overlap."""

    def split_many(self, texts: Sequence[str]) -> Iterator[Sequence[tuple[int, int]]]:
        """Split many texts; what overrides this gives the same as the loop."""
        return map(self.split, texts)
