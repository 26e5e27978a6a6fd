"""Texts as bytes, and the characters that stand for marks."""

import re
from collections.abc import Mapping

__all__ = [
    "BOW",
    "BYTE_LETTERS",
    "CONTINUATION",
    "EOW",
    "byte_length",
    "encodable",
    "from_bytes_text",
    "to_bytes_text",
]

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODED_SURROGATE = re.compile(rb"(\xed[\xa0-\xbf][\x80-\xbf])")

_VISIBLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_HIDDEN = sorted(set(range(0x100)) - set(_VISIBLE))

BYTE_LETTERS: Mapping[int, str] = {byte: chr(byte) for byte in _VISIBLE} | {
    byte: chr(0x100 + number) for number, byte in enumerate(_HIDDEN)
}
"""The letter that GPT-2 writes for each byte, so that merges and tokens have no spaces.

Bytes that are visible in Latin-1 come first and are their own letters. The others have the letters
from U+0100 on: a space is `Ġ`. Source: Radford et al. (2019), Language Models are Unsupervised
Multitask Learners, section 2.2, and their program (openai/gpt-2, src/encoder.py).
"""


def byte_length(text: str) -> int:
    """Return the number of UTF-8 bytes of a text; a lone surrogate counts as three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def encodable(text: str) -> str:
    """Replace each lone surrogate, which has no UTF-8, by U+FFFD, which has as many bytes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def to_bytes_text(text: str) -> str:
    r"""Spell a text as its UTF-8 bytes, each byte as one character of Latin-1.

    >>> to_bytes_text("né")
    'nÃ©'
    """
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def from_bytes_text(text: str) -> str:
    """Read a text that `to_bytes_text` spelled; parts of characters become U+FFFD."""
    return decoded(text.encode("latin-1"))


def decoded(raw: bytes) -> str:
    """Decode UTF-8, including lone surrogates; parts of characters become U+FFFD."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        pass
    # No error handler of Python both reads surrogates and replaces other bytes.
    parts = enumerate(_ENCODED_SURROGATE.split(raw))  # those with odd numbers are surrogates
    return "".join(part.decode("utf-8", ("replace", "surrogatepass")[i % 2]) for i, part in parts)


BOW, EOW, CONTINUATION = "\ufdd0", "\ufdd1", "\ufdd2"
MARKS = BOW + EOW + CONTINUATION
