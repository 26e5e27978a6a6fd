"""What the characters of tokens stand for: characters of the text, or its UTF-8 bytes.

In a vocabulary of bytes each character of a token's text, U+0000 to U+00FF, is one byte: a token
may begin or end inside a character of the text.
"""

import re
from typing import Literal

Units = Literal["characters", "bytes"]

_ENCODED_SURROGATE = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")


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
    parts, end = [], 0
    # No handler of Python's both reads surrogates and replaces what is no character.
    for found in _ENCODED_SURROGATE.finditer(raw):
        parts.append(raw[end : found.start()].decode("utf-8", "replace"))
        parts.append(found[0].decode("utf-8", "surrogatepass"))
        end = found.end()
    return "".join([*parts, raw[end:].decode("utf-8", "replace")])
