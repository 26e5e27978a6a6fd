"""The words of a corpus cut by a segmenter: each distinct word once, or once in every context."""

from dataclasses import replace

import numpy as np

from tokbench.api import Segmentation, Splitter, Timeline, Words
from tokbench.api.segmentation import Ints
from tokbench.corpora.running import RunningText
from tokbench.cut.bound import BoundSegmenter
from tokbench.cut.lines import tokens_in_context
from tokbench.cut.round_trip import segmentation
from tokbench.cut.rows import join
from tokbench.cut.splitting import SplitWords
from tokbench.cut.timeline import batches_of_bytes, batches_of_states, starts_of, states_at


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
        return segmentation(bound, words, context=context, **columns)
    if splitter is None and bound.cuts_lines:
        tokens = join([bound.lines(words.text[a:b]) for a, b in batches_of_bytes(words.bytes)])
    else:
        learned = len(bound.vocabulary.learned)
        whole = replay(bound, words, np.array([learned]), splitter)
        if whole is not None:
            return whole.at(learned, bound.vocabulary)
        if splitter is None:
            tokens = bound.tokens(words.text)
        else:
            parts = SplitWords.of(words.text, splitter)
            tokens = parts.tokens(bound.tokens(parts.text))
    return segmentation(bound, words, word=np.arange(len(words)), **vars(tokens))


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
    if parts is not None:
        states = parts.states(states)
        states = states if every else states_at(states, wanted)
    return segmentation(bound, words, checked=True, starts=starts_of(states), **vars(states))
