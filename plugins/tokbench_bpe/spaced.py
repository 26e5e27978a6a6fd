"""Words as texts of symbols joined by spaces, as the first published BPE program kept them."""

from collections.abc import Iterable
from itertools import chain

from tokbench_bpe.textbook import Words

PRIVATE_USE = range(0xE000, 0x110000)


class SpacedTexts(Words[str]):
    """Each word as one text, its symbols joined by `space`.

    `space` is the plain space unless a word holds one; then it is a character that none holds.
    """

    def __init__(self, words: Iterable[list[str]]) -> None:
        spelled = list(words)
        self.space = unused_character(spelled)
        super().__init__(map(self.space.join, spelled))

    def split(self, word: str) -> list[str]:
        """Give the symbols of one word."""
        return word.split(self.space)


def unused_character(words: Iterable[Iterable[str]]) -> str:
    """Give the space, or else the first character from U+E000 on, that stands in no symbol."""
    used = {char for symbols in words for symbol in symbols for char in symbol}
    return next(char for char in chain(" ", map(chr, PRIVATE_USE)) if char not in used)
