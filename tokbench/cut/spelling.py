"""Whether tokens spell the bytes that they cover, and whether their ids give the word back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Marks, Segmentation, Vocabulary
from tokbench.api.segmentation import Flags, Ints, Words, spans
from tokbench.api.words import byte_lengths

_CHUNK_BYTES = 2_000_000


@dataclass(frozen=True, eq=False)
class Texts:
    """The UTF-8 bytes (surrogatepass) of texts in a row, and where each begins with how many."""

    utf8: NDArray[np.uint8]
    offset: Ints
    size: Ints

    @classmethod
    def of(cls, texts: Sequence[str]) -> "Texts":
        """Encode texts."""
        size = byte_lengths(texts)
        encoded = "".join(texts).encode("utf-8", "surrogatepass")
        return cls(np.frombuffer(encoded, dtype=np.uint8), np.cumsum(size) - size, size)

    @classmethod
    def of_words(cls, words: Words) -> "Texts":
        """Return the bytes of distinct words, which are encoded once."""
        return cls(words.utf8, words.offset, words.bytes)


@dataclass(frozen=True, eq=False)
class Spelling:
    """The bytes that each token of a vocabulary stands for, marks removed; laid out flat."""

    texts: Sequence[bytes]

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> "Spelling":
        """Spell all tokens of a vocabulary."""
        if vocabulary.units == "bytes":
            encoded = [token.encode("latin-1", "replace") for token in vocabulary.tokens]
        else:
            encoded = _without_marks(vocabulary.tokens)
        for token, byte in vocabulary.bytes.items():
            encoded[token] = bytes([byte])
        return cls(encoded)

    @cached_property
    def utf8(self) -> NDArray[np.uint8]:
        """The bytes of all tokens, one token after the other."""
        return np.frombuffer(b"".join(self.texts), dtype=np.uint8)

    @cached_property
    def size(self) -> Ints:
        """The number of bytes of each token."""
        return np.array([len(text) for text in self.texts], dtype=np.int64)

    @cached_property
    def first(self) -> Ints:
        """The byte of `utf8` at which each token begins."""
        return np.cumsum(self.size) - self.size

    def spelled(
        self, texts: Texts, text: Ints, ids: Ints, starts: Ints, ends: Ints, known: Flags
    ) -> Flags:
        """Return whether each token is known and stands for the very bytes that it covers.

        Token `i` covers the bytes from `starts[i]` to `ends[i]` of text number `text[i]`.
        """
        alike = known.copy()
        alike[alike] = self.size[ids[alike]] == (ends - starts)[alike]
        places = texts.offset[text] + starts
        matching = np.flatnonzero(alike)
        for tokens in _chunks(matching, self.size[ids[matching]]):
            size = self.size[ids[tokens]]
            found = texts.utf8[spans(places[tokens], size)]
            other = found != self.utf8[spans(self.first[ids[tokens]], size)]
            alike[np.repeat(tokens, size)[other]] = False
        return alike


def _without_marks(tokens: Sequence[str]) -> list[bytes]:
    """Return the UTF-8 of each token, marks removed; as one text, which is faster, if possible."""
    joined = "\0".join(tokens)
    if joined.count("\0") >= len(tokens):
        return [Marks.strip(token).encode("utf-8", "surrogatepass") for token in tokens]
    return Marks.strip(joined).encode("utf-8", "surrogatepass").split(b"\0")


def _chunks(tokens: Ints, size: Ints) -> Iterator[Ints]:
    """Return tokens some at a time, so that their bytes fit into memory several times over."""
    begin = np.cumsum(size) - size
    cuts = np.flatnonzero(np.diff(begin // _CHUNK_BYTES)) + 1
    yield from np.split(tokens, cuts)


def spelled(segmentation: Segmentation, spelling: Spelling) -> Flags:
    """Return whether each token is known and stands for the very bytes of its word it covers."""
    return spelling.spelled(
        Texts.of_words(segmentation.words),
        segmentation.word[segmentation.state_of],
        segmentation.ids,
        segmentation.starts,
        segmentation.ends,
        segmentation.known,
    )


def spelled_in_context(segmentation: Segmentation, spelling: Spelling) -> Flags:
    """Return whether each row's token is known and stands for the bytes that it covers.

    A token that covers more of the line than the word may say more too: the space, the bracket or
    the other word that stands there.
    """
    alike = spelled(segmentation, spelling)
    first = segmentation.starts == 0
    last = segmentation.ends == segmentation.bytes[segmentation.state_of]
    for row in np.flatnonzero(segmentation.known & ~alike & segmentation.wider):
        word = segmentation.words.text[segmentation.word[segmentation.state_of[row]]]
        raw = word.encode("utf-8", "surrogatepass")
        part = raw[segmentation.starts[row] : segmentation.ends[row]]
        token = spelling.texts[segmentation.ids[row]]
        alike[row] = (
            (first[row] and token.endswith(part))
            or (last[row] and token.startswith(part))
            or (first[row] and last[row] and part in token)
        )
    return alike
