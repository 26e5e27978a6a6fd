"""The 256 bytes as the first tokens of a vocabulary, in one of two orders."""

from collections.abc import Sequence
from typing import Literal

from tokbench.api import BYTE_LETTERS

Order = Literal["value", "gpt2"]

BYTES = 256


def alphabet(order: Order) -> Sequence[str]:
    """Return every byte as one character, by value or as in GPT-2's `encoder.json`."""
    return list(map(chr, range(BYTES) if order == "value" else BYTE_LETTERS))
