"""The baselines of single bytes and of single code points, which learn nothing."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tokbench_ready_made import ReadyMade

from tokbench.api import Decision, Explanation, InputError, TextSegmenter, Token, Vocabulary
from tokbench.api.text import byte_length
from tokbench_bytes.learner import alphabet

if TYPE_CHECKING:
    from tokbench.api.arrays import LineTokens

USE = "code-points"
LAST = chr(sys.maxunicode)


class Utf8Bytes(ReadyMade):
    """Know the 256 bytes and nothing else; lines are cut whole, spaces included.

    Source: Xue et al. (2022), ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte
    Models. The id of a token is its byte; ByT5's own ids are higher by its 3 special tokens.
    """

    def load(self) -> Vocabulary:
        """Return all bytes by value."""
        segmenter = {"use": "byte-bpe", "split": "none"}
        return Vocabulary.build(alphabet("value"), (), units="bytes", segmenter=segmenter)


class CodePoints(ReadyMade):
    """Know all of Unicode and nothing else; lines are cut whole, spaces included.

    Source: Clark et al. (2022), CANINE: Pre-training an Efficient Tokenization-Free Encoder for
    Language Representation. The id of a token is its code point, so nothing is ever unknown; the
    model hashes them, so that their number costs it nothing.
    """

    def load(self) -> Vocabulary:
        """Return all code points, lone surrogates and what is not assigned included."""
        code_points = tuple(map(chr, range(sys.maxunicode + 1)))
        return Vocabulary(code_points, segmenter={"use": USE})


class CodePointSegmenter(TextSegmenter):
    """Cut whole lines into code points, whose numbers are their ids."""

    def prepare(self, vocabulary: Vocabulary) -> Vocabulary:
        """Take the vocabulary of the learner `code-points`; raises InputError for any other."""
        if len(vocabulary.tokens) != sys.maxunicode + 1 or vocabulary.tokens[-1] != LAST:
            raise InputError(f"the segmenter {USE} cuts with the vocabulary of {USE} only")
        return vocabulary

    def segment_lines(self, lines: Sequence[str], prepared: Vocabulary) -> "LineTokens":
        """Return each code point by its number."""
        import numpy as np

        from tokbench.api.arrays import LineTokens

        row = np.cumsum([0, *map(len, lines)])
        ids = np.array([*map(ord, "".join(lines))], dtype=np.int64)
        starts = np.arange(len(ids)) - np.repeat(row[:-1], np.diff(row))
        return LineTokens.from_characters(lines, row, ids, starts, starts + 1)

    def explain(self, word: str, prepared: Vocabulary) -> Explanation:
        """Show the number of each code point."""
        code_points = [{"code point": f"U+{ord(letter):04X}", "id": ord(letter)} for letter in word]
        step = Decision("code points", code_points, range(len(code_points)), "each is a token")
        tokens: list[Token] = [(ord(letter), byte_length(letter)) for letter in word]
        return Explanation([step], tokens)
