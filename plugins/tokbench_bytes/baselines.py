"""The baselines of single bytes and of single code points, which learn nothing."""

import sys
from collections.abc import Mapping, Sequence

from tokbench.api import InputError, Learner, Segmenter, Size, Token, Vocabulary, byte_length
from tokbench_bytes.alphabet import alphabet

USE = "code-points"
LAST = chr(sys.maxunicode)


class Baseline(Learner):
    """The attributes and methods that need no text."""

    @property
    def sized(self) -> bool:
        """There is one vocabulary only."""
        return False

    @property
    def order_free(self) -> bool:
        """Nothing is learned."""
        return True


class Utf8Bytes(Baseline):
    """Know the 256 bytes and nothing else; the text and the size asked for have no effect.

    Source: Xue et al. (2022), ByT5: Towards a Token-Free Future with Pre-trained Byte-to-Byte
    Models. The id of a token is its byte; ByT5's own ids are higher by its 3 special tokens.
    """

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Return all bytes by value."""
        letters = alphabet("value")
        return Vocabulary.build(letters, (), units="bytes", segmenter={"use": "longest-match"})


class CodePoints(Baseline):
    """Know all of Unicode and nothing else; the text and the size asked for have no effect.

    Source: Clark et al. (2022), CANINE: Pre-training an Efficient Tokenization-Free Encoder for
    Language Representation. The id of a token is its code point, so nothing is ever unknown; the
    model hashes them, so that their number costs it nothing.
    """

    def learn(self, words: Mapping[str, int], size: Size) -> Vocabulary:
        """Return all code points, lone surrogates and what is not assigned included."""
        return Vocabulary(tuple(map(chr, range(sys.maxunicode + 1))), segmenter={"use": USE})


class CodePointSegmenter(Segmenter):
    """Cut a word into its code points, whose numbers are their ids."""

    def prepare(self, vocabulary: Vocabulary) -> Vocabulary:
        """Take the vocabulary of the learner `code-points`; raises InputError for any other."""
        if len(vocabulary.tokens) != sys.maxunicode + 1 or vocabulary.tokens[-1] != LAST:
            raise InputError(f"the segmenter {USE} cuts with the vocabulary of {USE} only")
        return vocabulary

    def segment(self, word: str, prepared: Vocabulary) -> Sequence[Token]:
        """Return each code point by its number."""
        return [(ord(point), byte_length(point)) for point in word]
