"""Groups of the distinct words of a test corpus: by kind if unseen, by frequency, new ones."""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise, product, takewhile
from unicodedata import normalize

import numpy as np
import regex

from tokbench.api.arrays import CountedWords
from tokbench.api.words import BAND, KIND, NEW, Flags, Subset, Words
from tokbench.corpora.source import Bands, PerMillion
from tokbench.printing import code_points

KINDS = (
    "another-form",
    "new-character",
    "punctuation",
    "case",
    "number",
    "joined",
    "affix",
    "other",
)
"""The kinds of unseen words; a word is of the first that fits."""

SHORTEST_PART = 3
"""The characters of a word that is joined to another, and of a stem."""

SHORTEST_HANGUL_STEM = 2
"""A syllable block holds two letters or three; jamo that stand alone are letters."""

LONGEST_AFFIX = 5
LEAST_PAIRS = 10
"""An affix counts if so many pairs of training words differ by it alone."""

_MOST_PUNCTUATION = 100
_PUNCTUATION = regex.compile(r"[\p{P}\p{S}]")
_SYLLABLES = regex.compile("[가-힣]+")
# Text in these scripts has no spaces: its "words" are runs, which begin with anything.
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
_NUMBER = regex.compile(r"[\p{P}\p{S}]*\p{N}[\p{N}\p{P}\p{S}]*")

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
        groups = {**self._kinds(words), **self._by_frequency(words)}
        if words.morphs is not None:
            groups[NEW] = self._new(words, words.morphs)
        return replace(words, groups={name: flags for name, flags in groups.items() if flags.any()})

    def _kinds(self, words: Words) -> dict[str, Flags]:
        pairs = zip(words.text, words.unseen.tolist(), strict=True)
        kinds = np.array([self._kind(word) if unseen else "" for word, unseen in pairs])
        return {str(Subset(KIND, kind)): kinds == kind for kind in KINDS}

    def _by_frequency(self, words: Words) -> dict[str, Flags]:
        """Group words by their counts in the training text, those that it has."""
        counts, bands = words.train_count, self._bands
        assert counts is not None  # of the training text
        if isinstance(bands, PerMillion):
            bounds = bands.per_million
            rate = counts * (1e6 / self._running)
            place = np.where(counts > 0, np.searchsorted(bounds, rate, side="right"), -1)
            between = [f"{low:.15g}-{high:.15g}pm" for low, high in pairwise(bounds)]
            names = [f"below-{bounds[0]:.15g}pm", *between, f"{bounds[-1]:.15g}pm+"]
        elif bands:
            firsts = sorted({1, *bands})
            place = np.searchsorted(firsts, counts, side="right") - 1
            spans = [(low, high - 1) for low, high in pairwise(firsts)]
            between = [f"{low}" if low == high else f"{low}-{high}" for low, high in spans]
            names = [*between, f"{firsts[-1]}+"]
        else:
            return {}
        return {str(Subset(BAND, name)): np.equal(place, i) for i, name in enumerate(names)}

    def _new(self, words: Words, morphs: tuple[tuple[tuple[str, ...], ...], ...]) -> Flags:
        """Return which gold words are new compositions of known morphemes.

        No training word holds the word itself, but two or more hold each of its morphemes, of which
        there are several.
        """
        unseen = np.flatnonzero(words.unseen).tolist()
        wanted = {words.text[i] for i in unseen}
        wanted.update(chain.from_iterable(row for i in unseen for row in morphs[i]))
        sizes: dict[str, set[int]] = {}
        for text in wanted:
            sizes.setdefault(text[:2], set()).add(len(text))
        times: Counter[str] = Counter()
        for word in self._distinct if wanted else ():
            parts = wanted.intersection(word)
            for i in range(len(word) - 1):
                if lengths := sizes.get(word[i : i + 2]):
                    parts.update(wanted.intersection([word[i : i + size] for size in lengths]))
            times.update(parts)
        new = np.zeros(len(words), dtype=bool)
        for i in unseen:
            several = (row for row in morphs[i] if len(row) > 1)
            composed = (all(times[m] >= LEAST_WORDS for m in row) for row in several)
            new[i] = not times[words.text[i]] and any(composed)
        return new


class UnseenKinds:
    """Finds the kind of words that a training text does not hold, from its distinct words."""

    def __init__(self, training: Collection[str]) -> None:
        self._seen = training

    def __call__(self, word: str) -> str:
        r"""Return the kind of an unseen word.

        >>> kind = UnseenKinds(["tea", "pot", "Anna", "N", "20", ".", ","])
        >>> [kind(word) for word in ("café", ",,", "ANNA", "2.002", "teapot", "to")]
        ['new-character', 'punctuation', 'case', 'number', 'joined', 'other']
        >>> UnseenKinds(["caf\u00e9"])("cafe\u0301")
        'another-form'
        """
        if not word.isascii() and normalize("NFC", word) in self._composed:
            return "another-form"
        if not self._characters.issuperset(word):
            return "new-character"
        if any(inner in self._seen for inner in _without_punctuation(word)):
            return "punctuation"
        if word.casefold() in self._folded:
            return "case"
        if _NUMBER.fullmatch(word):
            return "number"
        cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        if any(word[:cut] in self._seen and word[cut:] in self._seen for cut in cuts):
            return "joined"
        return "affix" if self._has_affix(word) else "other"

    def _has_affix(self, word: str) -> bool:
        if _UNSPACED.search(word):
            return False
        shortest = SHORTEST_HANGUL_STEM if _SYLLABLES.fullmatch(word) else SHORTEST_PART
        at_begin, at_end = self._affixes
        return any(
            (word[-size:] in at_end and word[:-size] in self._seen)
            or (word[:size] in at_begin and word[size:] in self._seen)
            for size in range(1, min(LONGEST_AFFIX, len(word) - shortest) + 1)
        )

    @cached_property
    def _characters(self) -> frozenset[str]:
        return frozenset("".join(self._seen))

    @cached_property
    def _composed(self) -> frozenset[str]:
        return frozenset(normalize("NFC", word) for word in self._seen if not word.isascii())

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(map(str.casefold, self._seen))

    @cached_property
    def _affixes(self) -> tuple[frozenset[str], frozenset[str]]:
        """The affixes at the beginning and at the end of training words."""
        seen, sizes = self._seen, range(1, LONGEST_AFFIX + 1)
        at_begin = Counter(word[:n] for n in sizes for word in seen if word[n:] in seen)
        at_end = Counter(word[-n:] for n in sizes for word in seen if word[:-n] in seen)
        return _frequent(at_begin), _frequent(at_end)


def _frequent(affixes: Counter[str]) -> frozenset[str]:
    return frozenset(affix for affix, times in affixes.items() if times >= LEAST_PAIRS)


def _without_punctuation(word: str) -> Iterator[str]:
    """Return what is left of a word without some of the punctuation at its ends."""
    at_begin, at_end = _punctuation(word), _punctuation(word[::-1])
    for begin, end in product(range(at_begin + 1), range(at_end + 1)):
        if 0 < begin + end < len(word):
            yield word[begin : len(word) - end]


def _punctuation(word: str) -> int:
    """Count the punctuation at the beginning of a word, up to a hundred characters."""
    return sum(1 for _ in takewhile(_PUNCTUATION.match, word[:_MOST_PUNCTUATION]))


def form_warnings(name: str, words: Words) -> list[str]:
    """Warn of words that only their Unicode normal form makes unseen."""
    in_another_form = words.groups.get(str(Subset(KIND, "another-form")))
    if in_another_form is None:
        return []
    running = int(words.count[in_another_form].sum())
    example = words.text[int(in_another_form.argmax())]
    return [
        f"{name}: {running:,} running words are unseen only because the training text has them in "
        f"another Unicode normal form (first: {example!r}, {code_points(example)}): set "
        "`normalise: [nfc]` for both texts"
    ]
