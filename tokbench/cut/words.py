"""The words of a corpus cut by a segmenter: each distinct word once, or once in every context.

Each cut is decoded, to find out whether its ids give the word back.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tokbench.api import Segmentation, Segmenter, Splitter, Timeline, Words
from tokbench.api.tokenizer import REPLACEMENT
from tokbench.api.words import Ints
from tokbench.corpora.running import RunningText
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.lines import tokens_in_context
from tokbench.cut.rows import join
from tokbench.cut.spelling import spelled
from tokbench.cut.splitting import SplitWords
from tokbench.cut.timeline import batches_of_states, starts_of, states_at


def segment(
    bound: BoundSegmenter,
    words: Words,
    running: RunningText | None = None,
    splitter: Splitter | None = None,
) -> Segmentation:
    """Cut the words of a corpus: in the context of `running` text where it is given, else alone.

    A system's own `splitter` cuts words into pieces first. Raises BrokenPromiseError where tokens
    do not cover a word, or offsets are wrong.
    """
    if running is not None:
        states, context = tokens_in_context(bound, words, running)
        columns = {name: column for name, column in vars(states).items() if name != "part"}
        return _segmentation(bound, words, context=context, **columns)
    tokens = bound.alone(words.text, splitter)
    return _segmentation(bound, words, word=np.arange(len(words)), **vars(tokens))


def replay(
    bound: BoundSegmenter,
    words: Words,
    wanted: Ints,
    splitter: Splitter | None = None,
    every: bool = False,
) -> Segmentation | None:
    """Cut the words at each of the `wanted` numbers of learned items, which rise, in one replay.

    Return the states that hold at one of them or, with `every`, all from the first of them on;
    None where the segmenter has no timeline. Raises BrokenPromiseError where what it returns is no
    timeline, or where tokens do not cover a word.
    """
    if not bound.has_states:
        return None
    parts = None if splitter is None else SplitWords.of(words.text, splitter)
    texts = words.text if parts is None else parts.text
    since = int(wanted[0])
    found: list[Timeline] = []
    for begin, end in batches_of_states(texts, len(bound.vocabulary.learned) - since):
        states = bound.states(texts[begin:end], since)
        if states is None:
            return None
        # States of pieces are still to be put together, so none of them may be missing.
        states = states if every or parts else states_at(states, wanted)
        found.append(replace(states, word=states.word + begin))
    states = join(found)
    found.clear()  # else all tokens stand in memory twice
    if parts is not None:
        states = parts.states(states)
        states = states if every else states_at(states, wanted)
    checked = not bound.segmenter.fixed_cuts
    return _segmentation(bound, words, checked=checked, starts=starts_of(states), **vars(states))


def _segmentation(
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
    if found.context is not None or type(bound.segmenter).decode is Segmenter.decode:
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
