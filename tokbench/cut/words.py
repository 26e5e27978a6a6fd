"""The words of a corpus cut by a segmenter: each distinct word once, or once in every context."""

import numpy as np

from tokbench.api import Segmentation, Splitter, Timeline, Words
from tokbench.api.segmentation import Ints
from tokbench.corpora.running import RunningText
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.checks import starts_of
from tokbench.cut.lines import alone, segment_alone, segment_in_context
from tokbench.cut.round_trip import finished
from tokbench.cut.splitting import SplitWords
from tokbench.cut.timeline import batches_of_states, joined_states, states_at


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
        return segment_in_context(bound, words, running)
    if bound.cuts_lines and splitter is None:
        return segment_alone(bound, words)
    learned = len(bound.vocabulary.learned)
    found = replay(bound, words, np.array([learned]), splitter)
    if found is not None:
        return found.at(learned, bound.vocabulary)
    return _one_by_one(bound, words, splitter)


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
    found = []
    for begin, end in batches_of_states(texts, len(bound.vocabulary.learned) - since):
        states = bound.states(texts[begin:end], since)
        if states is None:
            return None
        # States of pieces are still to be put together, so none of them may be missing.
        found.append((begin, states if every or parts else states_at(states, wanted)))
    states = joined_states(found)
    if parts is not None:
        states = parts.states(states)
        states = states if every else states_at(states, wanted)
    segmentation = _of_states(bound, words, states)
    return finished(segmentation, bound, segmentation.known)  # `states` has checked the spelling


def _of_states(bound: BoundSegmenter, words: Words, states: Timeline) -> Segmentation:
    return Segmentation(
        words=words,
        vocabulary=bound.vocabulary,
        word=states.word,
        row=states.row,
        ids=states.ids,
        starts=starts_of(states),
        ends=states.ends,
        round_trip=np.zeros(len(states.word), dtype=bool),
        since=states.since,
        until=states.until,
    )


def _one_by_one(bound: BoundSegmenter, words: Words, splitter: Splitter | None) -> Segmentation:
    """Cut words without a timeline, each piece of a word as a word of its own."""
    if splitter is None:
        tokens = bound.tokens(words.text)
    else:
        parts = SplitWords.of(words.text, splitter)
        tokens = parts.tokens(bound.tokens(parts.text))
    return alone(bound, words, tokens)
