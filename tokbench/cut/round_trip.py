"""Whether the ids of a word give it back when they are decoded."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tokbench.api import Segmentation, Words
from tokbench.api.segmentation import Ints
from tokbench.api.segmenter import REPLACEMENT
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.spelling import spelled


def segmentation(
    bound: BoundSegmenter, words: Words, checked: bool = False, **columns: Any
) -> Segmentation:
    """Return the segmentation with these columns; find which states decode to their word.

    It may be `checked` already that known tokens spell the bytes that they cover.

    Alone, tokens that spell what they cover give it back, and a segmenter that decodes by default
    is asked only where the answer does not follow: U+FFFD for a token that is not known can give
    back only a word that holds it. In context white space around the word does not count, and the
    word need only be a part of what tokens say that cover other words too.
    """
    states = len(columns["word"])
    round_trip, asked = np.zeros(states, dtype=bool), np.ones(states, dtype=bool)
    found = Segmentation(words, bound.vocabulary, round_trip=round_trip.copy(), **columns)
    if found.context is not None or bound.decodes_by_default:
        alike = found.known if checked else spelled(found, bound.spelling)
        round_trip = (found.sum_tokens(~alike) == 0) & (found.dropped == 0)
        holding = np.array([REPLACEMENT in word for word in found.words.text], dtype=bool)
        asked = ~round_trip & ((found.unknown_tokens == 0) | holding[found.word])
    round_trip[asked] = _decode_to_words(found, np.flatnonzero(asked), bound)
    return replace(found, round_trip=round_trip)


def _decode_to_words(found: Segmentation, states: Ints, bound: BoundSegmenter) -> Sequence[bool]:
    """Decode some states, and return whether each gives its word."""
    taken = found.take(states, found.vocabulary)
    texts = bound.decode(taken.row, taken.ids)
    words = [found.words.text[number] for number in taken.word]
    if found.context is None:
        return [text == word for text, word in zip(texts, words, strict=True)]
    shared = (found.sum_tokens(found.shared) > 0)[states]
    return [
        word in text if of_several else text.strip() == word
        for text, word, of_several in zip(texts, words, shared, strict=True)
    ]
