"""The promise of segmenters with a timeline or fixed cuts: states are what segmenting gives."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tokbench.api import Segmenter, Size, Timeline, Vocabulary
from tokbench.api.segmentation import spans
from tokbench.cut import BoundSegmenter
from tokbench.cut.checks import checked_words
from tokbench.cut.timeline import grows_at_the_end
from tokbench.testing.promise import checking, expect, short
from tokbench.testing.samples import ALL, PLAIN
from tokbench.testing.subject import Subject, Usable, Vocabularies, usable

MOST_CUTS, MOST_TOKENS = 200, 400_000


def timelines(subject: Subject[Segmenter], vocabularies: Vocabularies) -> None:
    """Check that states are those of every cut, the same again, and clipped at `since`.

    A segmenter with neither timeline nor fixed cuts promises nothing.
    """
    if not BoundSegmenter(subject.component, Vocabulary(())).has_states:
        return
    for replay in usable(subject, vocabularies, _Replay):
        vocabulary = replay.vocabulary
        since = 0 if grows_at_the_end(vocabulary) else len(vocabulary.learned)
        states = replay.states(since)
        if states is not None:
            _same(states, replay.states(since), f"{replay.what(since)} again")
            _check_cuts(replay, states, since)
            for later in ((since + len(vocabulary.learned)) // 2, len(vocabulary.learned)):
                _same(clipped(states, later), replay.states(later), replay.what(later))


def clipped(states: Timeline, since: int) -> Timeline:
    """Return the states that hold from `since` on; those that began before begin there."""
    kept = np.flatnonzero(states.until > since)
    size = np.diff(states.row)[kept]
    chosen = spans(states.row[kept], size)
    return Timeline(
        word=states.word[kept],
        row=np.concatenate(([0], np.cumsum(size))),
        ids=states.ids[chosen],
        ends=states.ends[chosen],
        since=np.maximum(states.since[kept], since),
        until=states.until[kept],
    )


class _Replay(Usable):
    """Replays the samples; whatever the segmenter raises names the vocabulary."""

    @cached_property
    def bound(self) -> BoundSegmenter:
        return BoundSegmenter(self.segmenter, self.vocabulary)

    def what(self, since: int) -> str:
        return f"the vocabulary of {self.name} to timeline(since={since})"

    def states(self, since: int) -> Timeline | None:
        with checking(self.what(since)):
            return self.bound.states(ALL, since)


def _check_cuts(replay: _Replay, states: Timeline, since: int) -> None:
    """Check the states of plain words with every cut, those of all words with three."""
    vocabulary, segmenter = replay.vocabulary, replay.segmenter
    learned = len(vocabulary.learned)
    for number in _cuts(since, learned, len(vocabulary.tokens)):
        words = ALL if number in (since, (since + learned) // 2, learned) else PLAIN
        what = f"the vocabulary of {replay.name} cut to {number} learned items"
        with checking(what):
            cut = vocabulary.cut(Size(learned=number))
            prepared = segmenter.prepare(cut)
            right = [_segmented(segmenter, prepared, cut, word) for word in words]
        for word, tokens, found in zip(words, right, _at(states, number), strict=False):
            what = f"the word {short(repr(word))} at {number} learned items of {replay.name}"
            expected = f"{short(tokens)} (id, end) as from segment with the cut vocabulary"
            expect(found == tokens, f"{what} to timeline", found, expected)


def _cuts(since: int, learned: int, tokens: int) -> Sequence[int]:
    """List all numbers of learned items; only some where there are very many, or many tokens."""
    step = 1 + (learned - since) // max(1, min(MOST_CUTS, MOST_TOKENS // tokens))
    return sorted({*range(since, learned + 1, step), (since + learned) // 2, learned})


def _segmented(
    segmenter: Segmenter, prepared: Any, cut: Vocabulary, word: str
) -> list[tuple[int, int]]:
    found = checked_words([segmenter.segment(word, prepared)], [word], cut)
    return list(zip(found.ids.tolist(), found.ends.tolist(), strict=True))


def _at(states: Timeline, number: int) -> Iterator[list[tuple[int, int]]]:
    """Return each word's tokens at a number of learned items."""
    ids, ends = states.ids.tolist(), states.ends.tolist()
    for state in np.flatnonzero((states.since <= number) & (number < states.until)):
        row = slice(states.row[state], states.row[state + 1])
        yield list(zip(ids[row], ends[row], strict=True))


def _same(right: Timeline, found: Timeline | None, what: str) -> None:
    for name, values in vars(right).items():
        got = None if found is None else getattr(found, name)
        kept = got is not None and np.array_equal(got, values)
        expect(kept, what, f"{name} {short(got)}", f"{short(values)} as before, clipped")
