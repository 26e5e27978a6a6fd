"""Words as texts of symbols joined by spaces, as the first published BPE program kept them."""

from collections.abc import Iterable, Sequence
from itertools import chain

PRIVATE_USE = range(0xE000, 0x110000)


class SpacedTexts:
    """Each word as one text, its symbols joined by `space`.

    `space` is the plain space unless a word holds one; then it is a character that none holds.
    """

    def __init__(self, words: Iterable[list[str]]) -> None:
        spelled = list(words)
        self.space = unused_character(spelled)
        self.texts = [self.space.join(word) for word in spelled]

    def symbols(self) -> Iterable[Sequence[str]]:
        """Give each word as its symbols."""
        return (text.split(self.space) for text in self.texts)


def unused_character(words: Iterable[Iterable[str]]) -> str:
    """Give the space, or else the first character from U+E000 on, that stands in no symbol."""
    used = {char for symbols in words for symbol in symbols for char in symbol}
    return next(char for char in chain(" ", map(chr, PRIVATE_USE)) if char not in used)
