"""All states of a corpus's words from one replay: asked for, checked, made a segmentation."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tokbench.api import Segmentation, Segmenter, Splitter, States, Vocabulary, Words
from tokbench.api.segmentation import Ints
from tokbench.runner.checked import checked, refuse, starts
from tokbench.runner.decoding import Spelling, restored, spelled
from tokbench.runner.fixed_cuts import all_states, has_all_states
from tokbench.runner.pieces import Pieces
from tokbench.runner.portions import at_any, joined, portions


@dataclass(frozen=True, eq=False)
class Replay:
    """A segmenter made ready for one vocabulary, asked for the states of all words of a corpus."""

    vocabulary: Vocabulary
    segmenter: Segmenter
    prepared: Any
    splitter: Splitter | None = None

    def __call__(self, words: Words, since: int, wanted: Ints | None = None) -> Segmentation | None:
        """Give every state of every word from `since` learned items on.

        With `wanted`, which rise, only those that hold at one of these numbers of learned items.
        None where the segmenter has no timeline. Raises BrokenPromiseError where what it gives is
        no timeline, or where tokens do not cover a word.
        """
        if not has_all_states(self.segmenter):
            return None
        parts = None if self.splitter is None else Pieces.of(words.text, self.splitter)
        texts = words.text if parts is None else parts.text
        # States of pieces are still to be put together, so none of them may be missing.
        early, late = (wanted, None) if parts is None else (None, wanted)
        found = []
        for begin, end in portions(texts, len(self.vocabulary.learned) - since):
            part = texts[begin:end]
            given = all_states(self.segmenter, part, self.prepared, self.vocabulary, since)
            if given is None:
                return None
            states = checked(given, part, self._tokens, since)
            found.append((begin, states if early is None else at_any(states, early)))
        states = joined(found)
        if parts is not None:
            states = parts.states(states)
            states = states if late is None else at_any(states, late)
        return self._segmentation(words, states)

    @cached_property
    def _tokens(self) -> Ints:
        return grown(self.vocabulary)

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling.of(self.vocabulary)

    def _segmentation(self, words: Words, states: States) -> Segmentation:
        """Make states a segmentation, having checked that known tokens spell what they cover."""
        found = Segmentation(
            words=words,
            vocabulary=self.vocabulary,
            word=states.word,
            row=states.row,
            ids=states.ids,
            starts=starts(states),
            ends=states.ends,
            restored=np.zeros(len(states.word), dtype=bool),
            since=states.since,
            until=states.until,
        )
        alike = spelled(found, self._spelling)
        wrong = found.known & ~alike
        refuse(wrong, found.word[found.state_of], words.text, "tokens of {} do not cover it")
        return replace(found, restored=restored(found, self.segmenter, alike))


def grown(vocabulary: Vocabulary) -> Ints:
    """Give the number of tokens that there are with 0, 1, ... learned items."""
    seen = set(vocabulary.alphabet)
    fresh = [0]
    for product in vocabulary.products:
        fresh.append(product not in seen)
        seen.add(product)
    total: Ints = np.cumsum(fresh, dtype=np.int64)
    return total + (len(vocabulary.tokens) - int(total[-1]))


def grows_at_the_end(vocabulary: Vocabulary) -> bool:
    """Tell whether the tokens of each cut are the first tokens of the whole vocabulary."""
    known = set(vocabulary.alphabet)
    fresh = [token for token in dict.fromkeys(vocabulary.products) if token not in known]
    base = len(vocabulary.tokens) - len(fresh)
    ends_fresh = base >= 0 and list(vocabulary.tokens[base:]) == fresh
    return ends_fresh and all(i < base for i in vocabulary.unproduced)
