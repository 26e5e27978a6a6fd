"""Turn a vocabulary of characters into the byte ranks that tiktoken and gigatoken read.

Ranks 0 to 255 are the bytes. Then come the merges that build each letter beyond ASCII from its
bytes; they change no segmentation, since no token ends inside a letter. The tokens that the
vocabulary learned follow in order.
"""

from tokbench.api import Vocabulary


def byte_tokens(vocabulary: Vocabulary) -> list[bytes]:
    """Return the tokens in the order of their ranks; the vocabulary must have no marks."""
    letters = [letter.encode() for letter in vocabulary.alphabet]
    building = [letter[:end] for letter in letters for end in range(2, len(letter) + 1)]
    products = [token.encode() for token in vocabulary.products]
    single = [bytes([byte]) for byte in range(256)]
    return list(dict.fromkeys([*single, *building, *products]))
