"""The 256 bytes as the first tokens of a vocabulary, in one of two orders."""

from collections.abc import Sequence
from typing import Literal

Order = Literal["value", "gpt2"]

BYTES = 256


def alphabet(order: Order) -> Sequence[str]:
    """Give every byte as one character, by value or as in GPT-2's `encoder.json`.

    GPT-2 counts the bytes that Latin-1 prints first, then the others (openai/gpt-2,
    src/encoder.py, bytes_to_unicode).
    """
    values = range(BYTES)
    return [chr(byte) for byte in (values if order == "value" else sorted(values, key=_hidden))]


def _hidden(byte: int) -> bool:
    """Tell whether Latin-1 prints nothing for a byte: a control, a space or the soft hyphen."""
    return byte <= 0x20 or 0x7F <= byte <= 0xA0 or byte == 0xAD
