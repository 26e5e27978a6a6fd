"""Whether tokens spell the bytes that they cover."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Segmentation, Vocabulary
from tokbench.api.words import Flags, Ints, spans
from tokbench.cut.timeline import batches_of_bytes

# The spelling of so many bytes is compared at a time, in several times as much memory.
_CHUNK_BYTES = 2_000_000


@dataclass(frozen=True, eq=False)
class Spelling:
    """The bytes that each token of a vocabulary stands for, marks removed.

    `utf8` holds those of all tokens in a row; token `i` has the `size[i]` bytes from `first[i]` on.
    """

    texts: Sequence[bytes]
    utf8: NDArray[np.uint8]
    first: Ints
    size: Ints

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Spelling":
        """Spell all tokens of a vocabulary."""
        texts = vocabulary.raws()
        size = np.array([len(text) for text in texts], dtype=np.int64)
        utf8 = np.frombuffer(b"".join(texts), dtype=np.uint8)
        return cls(texts, utf8, np.cumsum(size) - size, size)

    def spelled(
        self, utf8: NDArray[np.uint8], first: Ints, size: Ints, ids: Ints, known: Flags
    ) -> Flags:
        """Return whether each token is known and stands for the very bytes that it covers.

        Token `i` covers the `size[i]` bytes of `utf8` from `first[i]` on.
        """
        alike = known.copy()
        alike[alike] = self.size[ids[alike]] == size[alike]
        matching = np.flatnonzero(alike)
        for begin, end in batches_of_bytes(size[matching], _CHUNK_BYTES):
            tokens = matching[begin:end]
            many = size[tokens]
            found = utf8[spans(first[tokens], many)]
            other = found != self.utf8[spans(self.first[ids[tokens]], many)]
            alike[np.repeat(tokens, many)[other]] = False
        return alike


def spelled(segmentation: Segmentation, spelling: Spelling) -> Flags:
    """Return whether each row's token is known and stands for the bytes that it covers.

    A token that covers more of the line than the word may say more too: the space, the bracket or
    the other word that stands there.
    """
    words, starts, ends = segmentation.words, segmentation.starts, segmentation.ends
    word, known = segmentation.word[segmentation.state_of], segmentation.known
    begins = words.offset[word] + starts
    alike = spelling.spelled(words.utf8, begins, ends - starts, segmentation.ids, known)
    first, last = starts == 0, ends == words.bytes[word]
    for row in np.flatnonzero(known & ~alike & segmentation.wider):
        raw = words.text[word[row]].encode("utf-8", "surrogatepass")
        part = raw[starts[row] : ends[row]]
        token = spelling.texts[segmentation.ids[row]]
        alike[row] = (
            (first[row] and token.endswith(part))
            or (last[row] and token.startswith(part))
            or (first[row] and last[row] and part in token)
        )
    return alike
