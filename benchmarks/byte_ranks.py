"""A vocabulary of characters as the byte ranks that tiktoken and gigatoken read.

Ranks 0 to 255 are the bytes; then come the merges that build each letter of the alphabet beyond
ASCII from its bytes, which change no segmentation since no token ends inside a letter; then the
tokens that the vocabulary learned, in order.
"""

from base64 import b64encode
from collections.abc import Iterable

from tokbench.api import Vocabulary


def byte_tokens(vocabulary: Vocabulary) -> list[bytes]:
    """Return the tokens in the order of their ranks; the vocabulary must have no marks."""
    letters = [letter.encode() for letter in vocabulary.alphabet]
    building = [letter[:end] for letter in letters for end in range(2, len(letter) + 1)]
    products = [token.encode() for token in vocabulary.products]
    single = [bytes([byte]) for byte in range(256)]
    return list(dict.fromkeys([*single, *building, *products]))


def spelled(tokens: Iterable[bytes]) -> bytes:
    """Write tokens in rank order as a `.tiktoken` file."""
    return b"".join(b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


def rank_file(vocabulary: Vocabulary) -> bytes:
    """Write a vocabulary without marks as a `.tiktoken` file."""
    return spelled(byte_tokens(vocabulary))
