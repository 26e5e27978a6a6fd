"""Byte offsets of tokens where the library drops characters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokbench_formats.hf_spelling import Style

from tokbench.api import LineTokens, Vocabulary

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TokenLetters:
    """The letters of each token, for models without unknown token, which drop characters.

    After a dropped character the library counts on as if it were not there. A character is
    dropped because no token has it, so the letters of the tokens are found again in order.
    """

    vocabulary: Vocabulary
    known: frozenset[str]
    """Characters that are never dropped."""

    @classmethod
    def of(
        cls, vocabulary: Vocabulary, model: Mapping[str, Any], style: Style
    ) -> "TokenLetters | None":
        """Return the letters of a model that drops characters, None for one that does not."""
        if model["type"] != "BPE" or style.fallback or vocabulary.unknown is not None:
            return None
        # With a sign for the space, or marked bytes, tokens do not show their letters.
        if style.space or (style.byte_level and vocabulary.units != "bytes"):
            return None
        if vocabulary.units == "bytes" or style.prefix or style.suffix:
            return cls(vocabulary, frozenset())
        return cls(vocabulary, frozenset(token for token in model["vocab"] if len(token) == 1))

    def place(
        self,
        lines: Sequence[str],
        ids: Ints,
        found: LineTokens,
        unchanged: Callable[[Sequence[str]], Flags],
    ) -> None:
        """Correct the offsets of lines in which characters may have been dropped."""
        numbers = [n for n, line in enumerate(lines) if not self.known.issuperset(line)]
        same = unchanged([lines[number] for number in numbers])
        for number in (n for n, kept in zip(numbers, same.tolist(), strict=True) if kept):
            place = slice(found.row[number], found.row[number + 1])
            right = self._find(lines[number].encode(), ids[place].tolist())
            if right:
                found.starts[place], found.ends[place] = zip(*right, strict=True)

    def _find(self, line: bytes, ids: Sequence[int]) -> list[tuple[int, int]] | None:
        """Return the bytes of each token; None where its letters are not those of the line."""
        right, position = [], 0
        for i in ids:
            begin = position
            for number, letter in enumerate(self._of_token(i)):
                at = line.find(letter, position)
                if at < 0:
                    return None
                begin = begin if number else at
                position = at + len(letter)
            right.append((begin, position))
        return right

    def _of_token(self, i: int) -> list[bytes]:
        raw = self.vocabulary.raw(i)
        if self.vocabulary.units == "bytes":
            return [bytes([byte]) for byte in raw]
        return [letter.encode() for letter in raw.decode()]
