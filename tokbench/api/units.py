"""Units of tokens: their characters are characters of the text, or its UTF-8 bytes.

In a vocabulary of bytes each character of a token's text, U+0000 to U+00FF, is one byte: a token
may begin or end inside a character of the text.
"""

import re
from collections.abc import Mapping
from typing import Literal

Units = Literal["characters", "bytes"]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODED_SURROGATE = re.compile(rb"(\xed[\xa0-\xbf][\x80-\xbf])")


_VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = sorted(set(range(0x100)) - set(_VISIBLE))

BYTE_LETTERS: Mapping[int, str] = {byte: chr(byte) for byte in _VISIBLE} | {
    byte: chr(0x100 + number) for number, byte in enumerate(_HIDDEN)
}
"""The letter that GPT-2 writes for each byte, so that merges and tokens hold no spaces.

Bytes that are visible in Latin-1 come first and are their own letters; the others are the letters
from U+0100 on: a space is `Ġ`. Source: Radford et al. (2019), Language Models are Unsupervised
Multitask Learners, section 2.2, and their program (openai/gpt-2, src/encoder.py).
"""


def byte_length(text: str) -> int:
    """Return the number of UTF-8 bytes of a text; a lone surrogate has three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def encodable(text: str) -> str:
    """Replace each lone surrogate, which has no UTF-8, by U+FFFD, which has as many bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def to_bytes_text(text: str) -> str:
    r"""Spell a text as its UTF-8 bytes, one character a byte; a lone surrogate takes three.

    >>> to_bytes_text("né")
    'nÃ©'
    """
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def from_bytes_text(text: str) -> str:
    """Read what `to_bytes_text` gave; bytes that are no whole character become U+FFFD."""
    return decoded(text.encode("latin-1"))


def decoded(raw: bytes) -> str:
    """Read UTF-8, lone surrogates too; bytes that are no whole character become U+FFFD."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        pass
    # No handler of Python's both reads surrogates and replaces what is no character.
    parts = enumerate(_ENCODED_SURROGATE.split(raw))  # the odd ones are surrogates
    return "".join(part.decode("utf-8", ("replace", "surrogatepass")[i % 2]) for i, part in parts)
