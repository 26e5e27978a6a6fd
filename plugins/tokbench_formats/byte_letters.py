"""Tokens of bytes, spelled in the letters that GPT-2 writes for bytes."""

from tokbench.api import BYTE_LETTERS

BYTES = {ord(letter): byte for byte, letter in BYTE_LETTERS.items()}


def to_letters(token: str) -> str:
    """Spell a token whose characters are bytes.

    >>> to_letters(" the")
    'Ġthe'
    """
    return token.translate(BYTE_LETTERS)


def from_letters(spelled: str) -> str:
    """Read a spelled token; raises ValueError for a letter that stands for no byte."""
    if foreign := next((letter for letter in spelled if ord(letter) not in BYTES), None):
        raise ValueError(f"{foreign!r} stands for no byte")
    return spelled.translate(BYTES)
