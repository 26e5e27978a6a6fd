"""Whether the ids of a word give it back when they are decoded."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tokbench.api import Segmentation
from tokbench.api.segmentation import Flags, Ints
from tokbench.api.segmenter import REPLACEMENT
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.spelling import spelled, spelled_in_context


def finished(
    found: Segmentation, bound: BoundSegmenter, alike: Flags | None = None
) -> Segmentation:
    """Fill in which states decode to their word.

    `alike` holds whether each token is known and spells what it covers, where that is known.

    Alone, tokens that spell what they cover give it back, and a segmenter that decodes by default
    is asked only where the answer does not follow: U+FFFD for a token that is not known can give
    back only a word that holds it. In context white space around the word does not count, and the
    word need only be a part of what tokens say that cover other words too.
    """
    in_context = found.context is not None
    certain = None
    if in_context or bound.decodes_by_default:
        if alike is None:
            alike = (spelled_in_context if in_context else spelled)(found, bound.spelling)
        certain = (found.sum_tokens(~alike) == 0) & (found.dropped == 0)
    asked = np.ones(len(found), dtype=bool)
    if certain is not None:
        holding = np.array([REPLACEMENT in word for word in found.words.text], dtype=bool)
        asked = ~certain & ((found.unknown_tokens == 0) | holding[found.word])
    round_trip = np.zeros(len(found), dtype=bool) if certain is None else certain
    states = np.flatnonzero(asked)
    round_trip[states] = _decode_to_words(found, states, bound)
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
