"""Groups of a corpus's distinct words that are scored apart: by kind, by frequency, new ones."""

from collections import Counter
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from tokbench.api import CountedWords
from tokbench.api.words import BAND, KIND, NEW, Flags, Subset, Words
from tokbench.corpora.source import Bands, PerMillion
from tokbench.corpora.unseen import KINDS, UnseenKinds

LEAST_WORDS = 2
"""A morpheme counts as known if so many training words hold it."""


class Groups:
    """Finds the groups of test words, from the distinct words of the whole training text."""

    def __init__(self, training: CountedWords, bands: Bands) -> None:
        self._distinct = frozenset(training)
        self._running = sum(training.values())
        self._bands = bands
        self._kind = UnseenKinds(self._distinct)

    def add_to(self, words: Words) -> Words:
        """Return words with their groups; a group that holds none of them is left out."""
        found = {**self._kinds(words), **self._by_frequency(words)}
        if words.morphs is not None:
            found[NEW] = self._new(words, words.morphs)
        return replace(words, groups={name: held for name, held in found.items() if held.any()})

    def _kinds(self, words: Words) -> dict[str, Flags]:
        pairs = zip(words.text, words.unseen.tolist(), strict=True)
        kinds = np.array([self._kind(word) if unseen else "" for word, unseen in pairs])
        return {str(Subset(KIND, kind)): kinds == kind for kind in KINDS}

    def _by_frequency(self, words: Words) -> dict[str, Flags]:
        """Group words by their counts in the training text; unseen ones are a band of their own."""
        counts, bands = words.train_count, self._bands
        assert counts is not None  # of the training text
        if isinstance(bands, PerMillion):
            bounds = bands.per_million
            rate = counts * (1e6 / self._running)
            place = np.where(counts > 0, 1 + np.searchsorted(bounds, rate, side="right"), 0)
            between = [f"{low:.15g}-{high:.15g}pm" for low, high in pairwise(bounds)]
            names = ["0", f"below-{bounds[0]:.15g}pm", *between, f"{bounds[-1]:.15g}pm+"]
        elif bands:
            firsts = sorted({1, *bands})
            place = np.searchsorted(firsts, counts, side="right")
            spans = [(low, high - 1) for low, high in pairwise(firsts)]
            between = [f"{low}" if low == high else f"{low}-{high}" for low, high in spans]
            names = ["0", *between, f"{firsts[-1]}+"]
        else:
            return {}
        return {str(Subset(BAND, name)): np.equal(place, i) for i, name in enumerate(names)}

    def _new(self, words: Words, morphs: tuple[tuple[tuple[str, ...], ...], ...]) -> Flags:
        """Return which gold words no training word holds, but two or more hold each morpheme of.

        A word of one morpheme is not composed.
        """
        unseen = np.flatnonzero(words.unseen).tolist()
        wanted = {words.text[i] for i in unseen}
        wanted.update(chain.from_iterable(row for i in unseen for row in morphs[i]))
        sizes: dict[str, set[int]] = {}
        for text in wanted:
            sizes.setdefault(text[:2], set()).add(len(text))
        times: Counter[str] = Counter()
        for word in self._distinct if wanted else ():
            held = wanted.intersection(word)
            for i in range(len(word) - 1):
                if found := sizes.get(word[i : i + 2]):
                    held.update(wanted.intersection([word[i : i + size] for size in found]))
            times.update(held)
        new = np.zeros(len(words), dtype=bool)
        for i in unseen:
            several = (row for row in morphs[i] if len(row) > 1)
            composed = (all(times[m] >= LEAST_WORDS for m in row) for row in several)
            new[i] = not times[words.text[i]] and any(composed)
        return new
