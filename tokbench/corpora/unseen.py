"""Why words are unseen: what sets each of them apart from the words of the training text."""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import product, takewhile

import regex

KINDS = ("new-character", "punctuation", "case", "number", "joined", "affix", "other")
"""The kinds of unseen words; a word is of the first that fits."""

SHORTEST_PART = 3
"""The characters of a word that is joined to another, and of a stem."""

LONGEST_AFFIX = 5
LEAST_PAIRS = 10
"""An affix counts if so many pairs of training words differ by it alone."""

_MOST_PUNCTUATION = 100
_PUNCTUATION = regex.compile(r"[\p{P}\p{S}]")
_NUMBER = regex.compile(r"[\p{P}\p{S}]*\p{N}[\p{N}\p{P}\p{S}]*")


class UnseenKinds:
    """Finds the kind of words that a training text does not hold, from its distinct words."""

    def __init__(self, training: Collection[str]) -> None:
        self._seen = training

    def __call__(self, word: str) -> str:
        """Return the kind of an unseen word.

        >>> kind = UnseenKinds(["tea", "pot", "Anna", "N", "20", ".", ","])
        >>> [kind(word) for word in ("café", ",,", "ANNA", "2.002", "teapot", "to")]
        ['new-character', 'punctuation', 'case', 'number', 'joined', 'other']
        """
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
        at_begin, at_end = self._affixes
        return any(
            (word[-size:] in at_end and word[:-size] in self._seen)
            or (word[:size] in at_begin and word[size:] in self._seen)
            for size in range(1, min(LONGEST_AFFIX, len(word) - SHORTEST_PART) + 1)
        )

    @cached_property
    def _characters(self) -> frozenset[str]:
        return frozenset("".join(self._seen))

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
    for first, last in product(range(at_begin + 1), range(at_end + 1)):
        if 0 < first + last < len(word):
            yield word[first : len(word) - last]


def _punctuation(word: str) -> int:
    """Count the punctuation at the beginning of a word, up to a hundred characters."""
    return sum(1 for _ in takewhile(_PUNCTUATION.match, word[:_MOST_PUNCTUATION]))
