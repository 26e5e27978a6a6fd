"""The states of texts of bytes, each of which stands as one character."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tokbench.api import States


def in_units(states: States, texts: Sequence[str]) -> States:
    """Count in characters of the texts what ends in their UTF-8."""
    text = np.frombuffer("".join(texts).encode(), dtype=np.uint8)
    # In UTF-8 every byte that is not 10xxxxxx begins a character.
    begun = np.concatenate(([0], np.cumsum((text & 0xC0) != 0x80, dtype=np.int64)))
    first = np.cumsum([0, *(len(text.encode()) for text in texts)], dtype=np.int64)
    begin = np.repeat(first[states.word], np.diff(states.row))
    return replace(states, ends=begun[begin + states.ends] - begun[begin])
