"""Counters of words: of those that any splitter found, and compiled for the built-in ones."""

from array import array
from collections import Counter
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from tokbench.api import CountedWords
from tokbench.corpora.classes import PAGE, page
from tokbench.corpora.pieces import Piece

if TYPE_CHECKING:
    from tokbench.corpora import _count

_PIECE_BITS = 40
"""Bits of a position inside a piece; the number of the piece stands above them."""


class WordCounter(Protocol):
    """Counts the words of pieces of text that it is given in their order."""

    def add(self, piece: Piece, number: int) -> None:
        """Count the words of the piece of this number."""


class ListedCounter:
    """Counts words that a splitter found."""

    def __init__(self) -> None:
        self._words: Counter[str] = Counter()

    def add(self, piece: Piece, number: int) -> None:
        """Count the words of a list."""
        assert not isinstance(piece, bytes)
        self._words.update(piece)

    def counted(self) -> CountedWords:
        """Give all words."""
        return CountedWords.of(self._words)


class CompiledCounter:
    """Counts words of a built-in splitter with compiled kernels.

    It remembers where it met each word first, so that two counters that shared the pieces of a
    text between them can be put together in the order of the text.
    """

    def __init__(self, compiled: ModuleType, by_class: bool) -> None:
        self._kernel: _count.Counter = compiled.Counter()
        self._by_class = by_class
        if by_class:
            self._kernel.classify(0, page(0))

    def add(self, piece: Piece, number: int) -> None:
        """Count the words of a text or a list."""
        position = number << _PIECE_BITS
        if not isinstance(piece, bytes):
            self._kernel.spaced("\n".join(piece).encode(), position)
        elif not self._by_class:
            self._kernel.spaced(piece, position)
        else:
            at, unknown = self._kernel.runs(piece, position, 0)
            while unknown >= 0:
                number = unknown // PAGE
                self._kernel.classify(number * PAGE, page(number))
                at, unknown = self._kernel.runs(piece, position, at)

    def counted(self, other: "CompiledCounter | None" = None) -> CountedWords:
        """Give all words of this counter, or of both."""
        others = () if other is None else (other._kernel,)
        utf8, ends, counts = self._kernel.columns(*others)
        return CountedWords(utf8, array("q", ends), array("q", counts))
