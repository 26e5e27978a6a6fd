"""Whether tokens spell the bytes that they cover, and whether their ids give the word back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tokbench.api import Marks, Segmentation, Segmenter, Vocabulary
from tokbench.api.segmentation import Flags, Ints, spans
from tokbench.api.segmenter import REPLACEMENT

_CHUNK_BYTES = 2_000_000


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


def _without_marks(tokens: Sequence[str]) -> list[bytes]:
    """Give the UTF-8 of each token, marks removed; as one text, which is faster, if possible."""
    joined = "\0".join(tokens)
    if joined.count("\0") >= len(tokens):
        return [Marks.strip(token).encode("utf-8", "surrogatepass") for token in tokens]
    return Marks.strip(joined).encode("utf-8", "surrogatepass").split(b"\0")


def spelled(segmentation: Segmentation, spelling: Spelling) -> Flags:
    """Tell for each token whether it is known and stands for the very bytes that it covers."""
    words = segmentation.words
    ids, starts = segmentation.ids, segmentation.starts
    alike = segmentation.known.copy()
    alike[alike] = spelling.size[ids[alike]] == (segmentation.ends - starts)[alike]
    places = words.offset[segmentation.word][segmentation.state_of] + starts
    known = np.flatnonzero(alike)
    for tokens in _chunks(known, spelling.size[ids[known]]):
        size = spelling.size[ids[tokens]]
        found = words.utf8[spans(places[tokens], size)]
        other = found != spelling.utf8[spans(spelling.first[ids[tokens]], size)]
        alike[np.repeat(tokens, size)[other]] = False
    return alike


def _chunks(tokens: Ints, size: Ints) -> Iterator[Ints]:
    """Give tokens some at a time, so that their bytes fit into memory several times over."""
    begin = np.cumsum(size) - size
    cuts = np.flatnonzero(np.diff(begin // _CHUNK_BYTES)) + 1
    yield from np.split(tokens, cuts)


def restored(segmentation: Segmentation, segmenter: Segmenter, alike: Flags) -> Flags:
    """Tell for each state whether decoding its ids gives its word back.

    `alike` is what `spelled` gives. A segmenter that decodes as all do by default is asked only
    where the answer does not follow: tokens that spell what they cover restore it, and U+FFFD for
    a token that is not known can restore only a word that holds it.
    """
    words, ids = segmentation.words, segmentation.ids
    found = np.zeros(len(segmentation), dtype=bool)
    asked = np.ones(len(segmentation), dtype=bool)
    if type(segmenter).decode is Segmenter.decode:
        found = (segmentation.sum_tokens(~alike) == 0) & (segmentation.dropped == 0)
        holding = np.array([REPLACEMENT in word for word in words.text], dtype=bool)
        asked = ~found & ((segmentation.unknown_tokens == 0) | holding[segmentation.word])
    for state in np.flatnonzero(asked):
        of_state = ids[segmentation.row[state] : segmentation.row[state + 1]].tolist()
        text = segmenter.decode(of_state, segmentation.vocabulary)
        found[state] = text == words.text[segmentation.word[state]]
    return found


def spelled_in_context(segmentation: Segmentation) -> Flags:
    """Tell for each row whether its token is known and stands for the bytes that it covers.

    A token that covers more of the line than the word may say more too: the space, the bracket or
    the other word that stands there.
    """
    spelling = Spelling.of(segmentation.vocabulary)
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


def restored_in_context(segmentation: Segmentation, segmenter: Segmenter, alike: Flags) -> Flags:
    """Tell for each state whether decoding its ids gives its word back, but for white space around.

    `alike` is what `spelled_in_context` gives. The word need only be a part of what tokens say that
    cover other words too.
    """
    found: Flags = (segmentation.sum_tokens(~alike) == 0) & (segmentation.dropped == 0)
    shared = segmentation.sum_tokens(segmentation.shared) > 0
    holding = np.array([REPLACEMENT in word for word in segmentation.words.text], dtype=bool)
    asked = ~found & ((segmentation.unknown_tokens == 0) | holding[segmentation.word])
    for state in np.flatnonzero(asked):
        ids = segmentation.ids[segmentation.row[state] : segmentation.row[state + 1]].tolist()
        text = segmenter.decode(ids, segmentation.vocabulary)
        word = segmentation.words.text[segmentation.word[state]]
        found[state] = word in text if shared[state] else text.strip() == word
    return found
